import type { Scope } from './scope.ts'

/** `{{ name }}` or `{{ name.of.member }}` as in Liquid. No filters, indexes or whitespace control. */
const EXPRESSION = /\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}/
/** Names with a special meaning in Liquid. */
const RESERVED_NAMES = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank', 'size', 'first', 'last'])

/** Text with only simple expressions. */
export interface PlainTemplate {
  /** Text around the expressions. One more entry than `expressions`. */
  texts: string[]
  expressions: PlainExpression[]
}

type PlainExpression = (scope: Scope) => unknown

/** More than any client can use. Liquid's own limits cover neither output nor `capture`. */
const MAX_OUTPUT_CHARACTERS = 10_000_000

/**
 * Parses a template that only inserts values into text, as most do. Direct lookup gives the same result as Liquid and saves a
 * fifth of a tool call's time and garbage (`npm run bench throughput`). Undefined for templates that need Liquid.
 */
export function parsePlainTemplate(source: string): PlainTemplate | undefined {
  const parts = source.split(new RegExp(EXPRESSION, 'g'))
  const texts = parts.filter((_, index) => index % 2 === 0)
  const paths = parts.filter((_, index) => index % 2 === 1).map(path => path.split('.'))
  if (texts.some(text => text.includes('{{') || text.includes('{%'))) return undefined
  if (paths.some(path => path.some(name => RESERVED_NAMES.has(name)))) return undefined
  return { texts, expressions: paths.map(toExpression) }
}

/** True when nothing in a definition needs Liquid. Also checks property names, which is harmless. */
export function isPlainDefinition(definition: unknown): boolean {
  return parsePlainTemplate(JSON.stringify(definition) ?? '') !== undefined
}

export function renderPlain({ texts, expressions }: PlainTemplate, scope: Scope): string {
  let output = texts[0]!
  for (let index = 0; index < expressions.length; index++)
    output = addToOutput(output, expressions[index]!(scope)) + texts[index + 1]!
  return output
}

/** Writes a value the way Liquid does, but objects as JSON instead of `[object Object]`. Throws above the limit. */
export function addToOutput(output: string, value: unknown): string {
  const longer = output + toText(value)
  if (longer.length > MAX_OUTPUT_CHARACTERS)
    throw new Error(`The output is longer than ${MAX_OUTPUT_CHARACTERS} characters`)
  return longer
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(toText).join('')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toExpression([name, ...members]: string[]): PlainExpression {
  return scope => {
    let value: unknown = Object.hasOwn(scope, name!) ? scope[name!] : undefined
    for (const member of members) {
      if (value === undefined || value === null) return undefined
      value = Object.hasOwn(Object(value), member) ? (value as Record<string, unknown>)[member] : undefined
    }
    return value
  }
}
