/** Comments, strings, template literals, names, numbers, and single other characters. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$]*|\d[\w.]*|\S/g

interface Token {
  text: string
  offset: number
}

/** Objects and arrays around a token. `key` is the current property or index. */
interface Level {
  isArray: boolean
  key: string | number | undefined
}

/**
 * Offsets of the properties and elements in the object literal that a module exports by default, by their path as JSON:
 * `["tools",0,"name"]`. Values that code computes have no offset.
 */
export function literalOffsets(source: string): Map<string, number> {
  const tokens: Token[] = [...source.matchAll(TOKEN)]
    .map(({ 0: text, index }) => ({ text, offset: index }))
    .filter(({ text }) => !/^\/[/*]/.test(text))
  const offsets = new Map<string, number>()
  const start = startOfLiteral(tokens)
  if (start === undefined) return offsets
  const levels: Level[] = []
  let isValueStart = true
  for (const [at, token] of tokens.entries()) {
    if (at < start) continue
    const { text, offset } = token
    const level = levels.at(-1)
    if (isValueStart && level?.isArray && text !== ']') offsets.set(pathOf(levels), offset)
    if (isOpening(text)) {
      if (levels.length === 0) offsets.set('[]', offset)
      levels.push({ isArray: text === '[', key: text === '[' ? 0 : undefined })
    } else if (isClosing(text)) {
      levels.pop()
      if (levels.length === 0) return offsets
    } else if (text === ',' && level) level.key = typeof level.key === 'number' ? level.key + 1 : undefined
    else if (level && !level.isArray && level.key === undefined && isKey(tokens, at)) {
      level.key = nameOf(text)
      offsets.set(pathOf(levels), offset)
    }
    isValueStart = text === ',' || text === '['
  }
  return offsets
}

/** Index of the `{` after `export default`, or in the declaration of the variable that is exported. */
function startOfLiteral(tokens: readonly Token[]): number | undefined {
  const exported = tokens.findIndex(({ text }, at) => text === 'default' && tokens[at - 1]?.text === 'export')
  if (exported < 0) return undefined
  const name = tokens[exported + 1]?.text
  const declared = tokens.findIndex(
    ({ text }, at) => text === name && /^(?:const|let|var)$/.test(tokens[at - 1]?.text ?? ''),
  )
  const from = declared < 0 ? exported : tokens.findIndex(({ text }, at) => at > declared && text === '=')
  const start = tokens.findIndex(({ text }, at) => at > from && text === '{')
  return start < 0 ? undefined : start
}

/** A name before `:`, or shorthand for a variable. */
function isKey(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text
  const after = tokens[at + 1]?.text
  return (before === '{' || before === ',') && (after === ':' || after === ',' || after === '}')
}

function nameOf(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text
}

function pathOf(levels: readonly Level[]): string {
  return JSON.stringify(levels.map(({ key }) => key ?? null))
}

function isOpening(text: string): boolean {
  return text === '{' || text === '[' || text === '('
}

function isClosing(text: string): boolean {
  return text === '}' || text === ']' || text === ')'
}
