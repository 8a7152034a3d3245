import { matchPieces, type UriPiece } from './uri-matcher.ts'

/**
 * URI template (RFC 6570) that extracts the variables of a URI. Supports `{a}`, `{+a}`, `{#a}`, `{/a}`, `{.a}`, `{?a,b}` and
 * `{&a,b}`, each with the explode modifier `*`. Rejects `{;a}`, and prefix lengths (`{a:3}`), which cannot be parsed back.
 */
export interface UriTemplate {
  variables: readonly string[]
  /** Percent-decoded variables of a URI. Undefined when the template cannot produce the URI. */
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
type Part = string | Expression

/** Longer URIs do not match any template. Limits the cost of matching. */
const MAX_URI_LENGTH = 2048
const MAX_VARIABLES = 20
const VARNAME = /^[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*$/

/** By operator: prefix of the variables, separator of values, and characters that no value contains (RFC 6570 appendix A). */
const OPERATORS: Record<string, { first: string; between: string; stops: string }> = {
  '': { first: '', between: ',', stops: '/?#&' },
  '+': { first: '', between: ',', stops: '' },
  '#': { first: '#', between: ',', stops: '' },
  '/': { first: '/', between: '/', stops: '?#' },
  '.': { first: '.', between: '.', stops: '/?#' },
}

export function isUriTemplate(uri: string): boolean {
  return uri.includes('{')
}

/** Throws an Error for an invalid template. Its message completes a sentence about the template. */
export function parseUriTemplate(source: string): UriTemplate {
  const parts = splitExpressions(source)
  checkReadable(parts)
  const queries = parts.filter(isQuery)
  const pieces = parts.slice(0, parts.length - queries.length).flatMap(toPieces)
  const queryVariables = queries.flatMap(({ variables }) => variables)
  const mark = queries[0]?.operator
  return {
    variables: parts.flatMap(part =>
      typeof part === 'string' ? [] : part.variables.map(({ name }) => name),
    ),
    match(uri) {
      if (uri.length > MAX_URI_LENGTH) return undefined
      const acceptsEnd = (at: number) =>
        at === uri.length || (mark !== undefined && uri[at] === mark && !uri.includes('#', at))
      const found = matchPieces(uri, pieces, acceptsEnd)
      if (!found) return undefined
      // Without a prototype, whose members would count as values of `{?constructor}`.
      const variables: UriVariables = Object.create(null)
      for (const [{ name, separator }, raw] of [...found.values].toReversed())
        variables[name] = separator === undefined ? decode(raw) : raw.split(separator).map(decode)
      return readQuery(queryVariables, uri.slice(found.end), variables) ? variables : undefined
    },
  }
}

function splitExpressions(source: string): Part[] {
  const parts: Part[] = []
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
  return parts
}

function parseExpression(text: string): Expression {
  const operator = /^[+#./;?&=,!@|]/.exec(text)?.[0] ?? ''
  if (!(operator in OPERATORS) && operator !== '?' && operator !== '&')
    throw new Error(`uses "{${operator}…}", which is not one of {a} {+a} {#a} {/a} {.a} {?a} {&a}`)
  const specs = text.slice(operator.length).split(',')
  return { operator, variables: specs.map(spec => parseVariable(spec, text)) }
}

function parseVariable(spec: string, text: string): Variable {
  const explode = spec.endsWith('*')
  const name = explode ? spec.slice(0, -1) : spec
  if (name.includes(':'))
    throw new Error(`uses a prefix length in "{${text}}", which a server cannot read back`)
  if (!VARNAME.test(name)) throw new Error(`has "${name}" in "{${text}}", which is not a variable name`)
  return { name, explode }
}

/** Throws for a template that is ambiguous or has too many variables. */
function checkReadable(parts: readonly Part[]): void {
  const expressions = parts.filter(part => typeof part !== 'string')
  const names = expressions.flatMap(({ variables }) => variables.map(({ name }) => name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`has the variable "${twice}" twice`)
  if (names.length > MAX_VARIABLES)
    throw new Error(`has ${names.length} variables; the maximum is ${MAX_VARIABLES}`)
  if (expressions.filter(({ operator }) => /[+#]/.test(operator)).length > 1)
    throw new Error('has more than one {+…} or {#…}, which is ambiguous')
  if (parts.some((part, index) => startsWithoutPrefix(part) && typeof (parts[index - 1] ?? '') !== 'string'))
    throw new Error('has two expressions with nothing between them')
  const queryAt = parts.findIndex(isQuery)
  if (queryAt >= 0 && !parts.slice(queryAt).every(isQuery))
    throw new Error('must end with its query expression')
}

function isQuery(part: Part): part is Expression {
  return typeof part !== 'string' && (part.operator === '?' || part.operator === '&')
}

function startsWithoutPrefix(part: Part): boolean {
  return typeof part !== 'string' && (part.operator === '' || part.operator === '+')
}

function toPieces(part: Part): UriPiece[] {
  if (typeof part === 'string') return [{ literal: part }]
  const { first, between, stops } = OPERATORS[part.operator]!
  return part.variables.flatMap(({ name, explode }, index) => {
    const before = index === 0 ? first : between
    // Values of `+` and `#` may contain any character, even commas.
    const own = explode || stops === '' ? stops : stops + between
    const value = explode ? { name, stops: own, separator: between } : { name, stops: own }
    return before ? [{ literal: before }, value] : [value]
  })
}

/** Returns false when the query has a parameter that is not in the template. */
function readQuery(variables: readonly Variable[], query: string, into: UriVariables): boolean {
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
    return raw // a stray "%" in a URI from a client
  }
}
