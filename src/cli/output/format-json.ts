const WIDTH = 100

/** Indents by two spaces and keeps short values on one line. Ends with a line break. */
export function formatJson(value: unknown, width = WIDTH): string {
  return `${format(value, 0, 0, width)}\n`
}

function format(value: unknown, indent: number, before: number, width: number): string {
  const flat = flatten(value)
  const isRoot = indent === 0
  if (typeof value !== 'object' || value === null) return flat
  if (!isRoot && indent + before + flat.length <= width) return flat
  const pad = ' '.repeat(indent + 2)
  const end = `\n${' '.repeat(indent)}`
  if (Array.isArray(value))
    return `[\n${value.map(item => pad + format(item, indent + 2, 0, width)).join(',\n')}${end}]`
  const members = definedEntries(value).map(([key, member]) => {
    const name = `${JSON.stringify(key)}: `
    return pad + name + format(member, indent + 2, name.length, width)
  })
  return `{\n${members.join(',\n')}${end}}`
}

function flatten(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(flatten).join(', ')}]`
  const members = definedEntries(value).map(([key, member]) => `${JSON.stringify(key)}: ${flatten(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}
