import type { ErrorObject } from 'ajv'
import { counted } from '../counted.ts'
import { nearestName } from '../names.ts'
import { pointerSteps } from './json-walk.ts'

/** The first violation in one sentence that names the field: `"city" must be a string`. */
export function describeViolation(
  errors: readonly ErrorObject[] | null | undefined,
  subject = 'arguments',
): string {
  const error = errors?.[0]
  if (!error) return `${subject} do not match the schema`
  const field = fieldName(error)
  const name = field ? `"${field}"` : subject
  const within = field ? `${field}.` : ''
  switch (error.keyword) {
    case 'required':
      return `"${within}${error.params.missingProperty}" is required${describeMissing(error)}`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty
      return `"${within}${unknown}" is not a known field${describeUnknown(unknown, error)}`
    }
    case 'enum':
      return `${name} must be one of ${listValues(error.params.allowedValues)}${describeValue(error)}${describeNearest(error)}`
    case 'const':
      return `${name} must be ${JSON.stringify(error.params.allowedValue)}${describeValue(error)}`
    default:
      return `${name} ${describeLimit(error)}`
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
}

/** `a string or an integer` */
export function typeNames(types: readonly string[]): string {
  return types.map(type => TYPES[type] ?? type).join(' or ')
}

/** Requirement that a value violates, as the end of a sentence about the value. */
export function describeLimit(error: ErrorObject): string {
  const { keyword, params, data, message = 'is not valid' } = error
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map(type => TYPES[type] ?? type)
        .join(' or ')}${describeValue(error)}`
    case 'minItems':
      return `needs at least ${counted(params.limit, 'item')} (got ${(data as unknown[]).length})`
    case 'maxItems':
      return `may have at most ${counted(params.limit, 'item')} (got ${(data as unknown[]).length})`
    case 'minLength':
      return `needs at least ${counted(params.limit, 'character')}${describeValue(error)}`
    case 'maxLength':
      return `may have at most ${counted(params.limit, 'character')}${describeValue(error)}`
    case 'minimum':
      return `must be at least ${params.limit}${describeValue(error)}`
    case 'maximum':
      return `must be at most ${params.limit}${describeValue(error)}`
    case 'uniqueItems':
      return message
    default:
      return `${message}${describeValue(error)}`
  }
}

function fieldName(error: ErrorObject): string {
  return pointerSteps(error.instancePath).join('.')
}

const MAX_LISTED_VALUES = 20

function listValues(values: readonly unknown[]): string {
  const listed = values.slice(0, MAX_LISTED_VALUES).map(value => JSON.stringify(value))
  const more = values.length - listed.length
  return more > 0 ? `${listed.join(', ')} and ${more} more` : listed.join(', ')
}

/** Shorter codes that differ are not typos of each other. */
const MIN_TYPO_LENGTH = 3

function describeNearest({ data, params }: ErrorObject): string {
  if (typeof data !== 'string') return ''
  const texts = params.allowedValues.filter((value: unknown) => typeof value === 'string')
  const near = nearestName(data, texts)
  if (near === undefined) return ''
  const isTypo = data.length >= MIN_TYPO_LENGTH || near.toLowerCase() === data.toLowerCase()
  return isTypo ? `; did you mean ${JSON.stringify(near)}?` : ''
}

/** The given value, shortened. Objects and arrays by type only. */
function describeValue({ data }: ErrorObject): string {
  if (data === undefined) return ''
  if (Array.isArray(data)) return ', not an array'
  if (data !== null && typeof data === 'object') return ', not an object'
  const text = JSON.stringify(data)
  return `, not ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

function describeUnknown(unknown: string, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const near = nearestName(unknown, known)
  if (near) return `; did you mean "${near}"?`
  return known.length > 0
    ? `; known fields: ${known
        .slice(0, 10)
        .map(name => `"${name}"`)
        .join(', ')}`
    : ''
}

function describeMissing({ params, data, parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const given = Object.keys((data as object | undefined) ?? {}).filter(name => !known.includes(name))
  const near = nearestName(params.missingProperty, given)
  if (near) return `; is "${near}" a typo?`
  const schema = (parentSchema?.properties as Record<string, Record<string, unknown>> | undefined)?.[
    params.missingProperty
  ]
  return typeof schema?.type === 'string' ? ` (${schema.type})` : ''
}
