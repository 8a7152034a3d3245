/**
 * URI templates (RFC 6570) read backwards: which variables a URI gives. Expressions `{a}`, `{+a}`, `{#a}`, `{/a}`, `{.a}`,
 * `{?a,b}` and `{&a,b}`, each with the explode modifier `*`; prefix lengths (`{a:3}`) and `{;a}` cannot be read backwards
 * without loss and are refused.
 */
export interface UriTemplate {
  variables: readonly string[]
  /** The variables of a URI that the template could have made, percent-decoded; undefined when it could not have. */
  match(uri: string): UriVariables | undefined
}

export type UriVariables = Record<string, string | string[]>

interface Variable {
  name: string
  explode: boolean
}
interface Expression {
  operator: string
  variables: Variable[]
}

/** Longer ones match no template: a bound on what reading backwards may cost. */
const MAX_URI_LENGTH = 2048
const VARNAME = /^[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*$/
/** What one value may hold, per operator. */
const VALUE: Record<string, string> = {
  '': '[^/?#&,]+?',
  '+': '.+?',
  '#': '.+?',
  '/': '[^/?#]+?',
  '.': '[^/?#.]+?',
}

export function isUriTemplate(uri: string): boolean {
  return uri.includes('{')
}

/** Throws an Error whose message says what is wrong and where. */
export function parseUriTemplate(source: string): UriTemplate {
  const parts = splitExpressions(source)
  const expressions = parts.filter(part => typeof part !== 'string')
  const variables = expressions.flatMap(expression => expression.variables.map(variable => variable.name))
  const twice = variables.find((name, index) => variables.indexOf(name) !== index)
  if (twice) throw new Error(`names the variable "${twice}" twice`)
  const queries = expressions.filter(({ operator }) => operator === '?' || operator === '&')
  const pathPattern = new RegExp(`^${parts.map(toPattern).join('')}$`, 's')
  const pathVariables = expressions
    .filter(expression => !queries.includes(expression))
    .flatMap(expression => expression.variables)
  const queryVariables = queries.flatMap(expression => expression.variables)
  return {
    variables,
    match(uri) {
      const found = uri.length <= MAX_URI_LENGTH ? pathPattern.exec(uri) : null
      if (!found) return undefined
      const values: UriVariables = {}
      for (const [index, variable] of pathVariables.entries()) {
        const raw = found[index + 1]
        if (raw !== undefined) values[variable.name] = readValue(variable, raw)
      }
      return queryVariables.length === 0 || readQuery(queryVariables, found.at(-1), values)
        ? values
        : undefined
    },
  }
}

function splitExpressions(source: string): (string | Expression)[] {
  const parts: (string | Expression)[] = []
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('{', at)
    const literal = source.slice(at, open < 0 ? undefined : open)
    if (literal.includes('}')) throw new Error(`has a "}" without a "{" before it`)
    if (literal) parts.push(literal)
    if (open < 0) break
    const close = source.indexOf('}', open)
    if (close < 0) throw new Error(`has a "{" at position ${open + 1} that is never closed`)
    parts.push(parseExpression(source.slice(open + 1, close)))
    at = close + 1
  }
  checkReadable(parts)
  return parts
}

/** Refuses what could be read back in more than one way, and with it the patterns that would take long to try. */
function checkReadable(parts: (string | Expression)[]): void {
  if (parts.filter(part => typeof part !== 'string' && /[+#]/.test(part.operator)).length > 1)
    throw new Error('has more than one {+…} or {#…}, so that a URI could be read in several ways')
  const adjacent = parts.findIndex(
    (part, index) =>
      index > 0 && [part, parts[index - 1]].every(one => typeof one !== 'string') && startsAnyhow(part),
  )
  if (adjacent >= 0) throw new Error('has two expressions with nothing between them')
  const queryAt = parts.findIndex(part => typeof part !== 'string' && /[?&]/.test(part.operator))
  if (
    queryAt >= 0 &&
    parts.slice(queryAt).some(part => typeof part === 'string' || !/[?&]/.test(part.operator))
  )
    throw new Error('must end with its query expression')
}

function startsAnyhow(part: string | Expression): boolean {
  return typeof part !== 'string' && (part.operator === '' || part.operator === '+')
}

function parseExpression(text: string): Expression {
  const operator = /^[+#./;?&=,!@|]/.exec(text)?.[0] ?? ''
  if (!['', '+', '#', '/', '.', '?', '&'].includes(operator))
    throw new Error(`uses "{${operator}…}", which is not one of {a} {+a} {#a} {/a} {.a} {?a} {&a}`)
  const variables = text
    .slice(operator.length)
    .split(',')
    .map(spec => {
      const explode = spec.endsWith('*')
      const name = explode ? spec.slice(0, -1) : spec
      if (name.includes(':'))
        throw new Error(`uses a prefix length in "{${text}}", which a server cannot read back`)
      if (!VARNAME.test(name)) throw new Error(`has "${name}" in "{${text}}", which is not a variable name`)
      return { name, explode }
    })
  return { operator, variables }
}

function toPattern(part: string | Expression): string {
  if (typeof part === 'string') return escapePattern(part)
  const { operator, variables } = part
  if (operator === '?' || operator === '&') return operator === '?' ? '(\\?[^#]*)?' : '(&[^#]*)?'
  const value = VALUE[operator]!
  if (operator === '/' || operator === '.') {
    const separator = operator === '/' ? '/' : '\\.'
    return variables
      .map(({ explode }) =>
        explode ? `${separator}(${value}(?:${separator}${value})*)` : `${separator}(${value})`,
      )
      .join('')
  }
  // What `+` and `#` take holds commas already.
  const list = operator === '' ? `(${value}(?:,${value})*)` : `(${value})`
  const values = variables.map(({ explode }) => (explode ? list : `(${value})`))
  return (operator === '#' ? '#' : '') + values.join(',')
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function readValue(variable: Variable, raw: string): string | string[] {
  return variable.explode ? raw.split(/[,/]/).map(decode) : decode(raw)
}

/** False when the query holds a parameter that the template does not name. */
function readQuery(variables: Variable[], query: string | undefined, into: UriVariables): boolean {
  if (!query || query.length === 1) return true
  const byName = new Map(variables.map(variable => [variable.name, variable]))
  for (const [name, value] of new URLSearchParams(query.slice(1))) {
    const variable = byName.get(name)
    if (!variable) return false
    const before = into[name]
    if (variable.explode) into[name] = Array.isArray(before) ? [...before, value] : [value]
    else into[name] ??= value
  }
  return true
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    // A stray "%" is taken as it stands: the URI came from outside and need not be well encoded.
    return raw
  }
}
