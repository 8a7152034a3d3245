import { estimateSteps } from '../../../shared/json/pattern-steps.ts'
import { equalityKey } from '../../../shared/json/unique-items.ts'
import type { SchemaObject } from '../model/schema-document.ts'
import { isExactNumber, kindOf } from '../model/state.ts'
import { matchesFormat } from './formats.ts'
import { numberOf, type Problem, type Visit } from './visit.ts'

/** Checks types, fixed values, numbers and text. */
export function scalarProblems(schema: SchemaObject, at: Visit): Problem[] {
  return [
    ...typeProblems(schema, at),
    ...valueProblems(schema, at),
    ...numberProblems(schema, at),
    ...textProblems(schema, at),
  ]
}

export function matchesType(type: unknown, value: unknown): boolean {
  const kind = kindOf(value as never)
  if (type === 'array') return kind === 'list'
  if (type === 'integer') return kind === 'number' && Number.isInteger(toNumber(value))
  return type === kind
}

function toNumber(value: unknown): number {
  return Number(isExactNumber(value) ? value.rawJSON : value)
}

function typeProblems({ type }: SchemaObject, at: Visit): Problem[] {
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined
  if (!types || types.some(one => matchesType(one, at.state))) return []
  return [at.problem('type', { type: types.filter(one => typeof one === 'string') }, 'has the wrong type')]
}

function valueProblems(schema: SchemaObject, at: Visit): Problem[] {
  const problems: Problem[] = []
  if ('const' in schema && !equals(schema.const, at.state)) {
    problems.push(at.problem('const', { allowedValue: schema.const }, 'must be the constant'))
  }
  if (Array.isArray(schema.enum) && !schema.enum.some(value => equals(value, at.state))) {
    problems.push(at.problem('enum', { allowedValues: schema.enum }, 'must be one of the allowed values'))
  }
  return problems
}

export function equals(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const isDeep = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null
  return isDeep && equalityKey(a) === equalityKey(b)
}

/** Ajv's option of the same name: 0.3 is a multiple of 0.1. */
const MULTIPLE_OF_PRECISION = 1e-9

function numberProblems(schema: SchemaObject, at: Visit): Problem[] {
  if (kindOf(at.state) !== 'number') return []
  const value = toNumber(at.state)
  const limit = (keyword: string, isExceeded: (limit: number) => boolean, words: string) => {
    const number = numberOf(schema[keyword])
    if (number === undefined || !isExceeded(number)) return []
    return [at.problem(keyword, { limit: number }, `must be ${words} ${number}`)]
  }
  return [
    ...limit('minimum', number => value < number, 'at least'),
    ...limit('maximum', number => value > number, 'at most'),
    ...limit('exclusiveMinimum', number => value <= number, 'greater than'),
    ...limit('exclusiveMaximum', number => value >= number, 'less than'),
    ...limit('multipleOf', number => !isMultiple(value / number), 'a multiple of'),
  ]
}

function isMultiple(quotient: number): boolean {
  return Math.abs(Math.round(quotient) - quotient) <= MULTIPLE_OF_PRECISION
}

function textProblems(schema: SchemaObject, at: Visit): Problem[] {
  if (typeof at.state !== 'string') return []
  const { format, pattern } = schema
  const [min, max] = [numberOf(schema.minLength), numberOf(schema.maxLength)]
  const length = min === undefined && max === undefined ? 0 : countCharacters(at.state)
  const problems: Problem[] = []
  if (length < (min ?? 0)) problems.push(at.problem('minLength', { limit: min }, 'is too short'))
  if (length > (max ?? length)) problems.push(at.problem('maxLength', { limit: max }, 'is too long'))
  if (typeof pattern === 'string' && !matchesPattern(pattern, at.state)) {
    problems.push(at.problem('pattern', { pattern }, `must match the pattern ${pattern.slice(0, 100)}`))
  }
  if (typeof format === 'string' && !matchesFormat(format, at.state)) {
    problems.push(at.problem('format', { format }, `must be a valid ${format}`))
  }
  return problems
}

/** Number of code points, which JSON Schema counts as characters. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0)
}

const MAX_PATTERN_LENGTH = 2000
const MAX_PATTERN_STEPS = 1e6

/**
 * Also true for an invalid pattern, and when a match could take too long, because a browser cannot interrupt a match. The server
 * decides.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH || estimateSteps(pattern)(text.length) > MAX_PATTERN_STEPS)
    return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
