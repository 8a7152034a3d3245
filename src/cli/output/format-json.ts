const WIDTH = 100

export interface JsonFormat {
  /** Nested values that fit this width are kept on one line. */
  width?: number
  /** Text of a string, number, boolean or null. */
  scalar?(value: unknown): string
  /** Text of a member's name. */
  key?(name: string): string
}

type Format = Required<JsonFormat>

/** Indents by two spaces and keeps short values on one line. Ends with a line break. */
export function formatJson(value: unknown, given: JsonFormat = {}): string {
  const format = { width: WIDTH, scalar: JSON.stringify, key: JSON.stringify, ...given }
  return `${formatValue(value, { indent: 0, before: 0 }, format)}\n`
}

interface Place {
  indent: number
  /** Length of the text before the value on its line, without the indent. */
  before: number
}

function formatValue(value: unknown, { indent, before }: Place, format: Format): string {
  if (typeof value !== 'object' || value === null) return format.scalar(value)
  const isRoot = indent === 0
  const length = flatten(value, PLAIN).length
  if (isEmpty(value) || (!isRoot && indent + before + length <= format.width)) return flatten(value, format)
  const pad = ' '.repeat(indent + 2)
  const end = `\n${' '.repeat(indent)}`
  if (Array.isArray(value))
    return `[\n${value.map(item => pad + formatValue(item, { indent: indent + 2, before: 0 }, format)).join(',\n')}${end}]`
  const members = definedEntries(value).map(([key, member]) => {
    const place = { indent: indent + 2, before: JSON.stringify(key).length + 2 }
    return `${pad}${format.key(key)}: ${formatValue(member, place, format)}`
  })
  return `{\n${members.join(',\n')}${end}}`
}

const PLAIN: Pick<Format, 'scalar' | 'key'> = { scalar: JSON.stringify, key: JSON.stringify }

function flatten(value: unknown, format: Pick<Format, 'scalar' | 'key'>): string {
  if (typeof value !== 'object' || value === null) return format.scalar(value)
  if (Array.isArray(value)) return `[${value.map(item => flatten(item, format)).join(', ')}]`
  const members = definedEntries(value).map(
    ([key, member]) => `${format.key(key)}: ${flatten(member, format)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}
