import { createPattern } from '../json/bounded-pattern.ts'

type Check = (value: unknown) => boolean

export const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/**
 * Checks for values that are valid in both draft-07 and 2020-12, by keyword. Omits keywords that refer to schemas or name them,
 * such as `$ref` and `$id`.
 */
const KEYWORDS = new Map<string, Check>([
  ...keywords(isString, '$comment', 'title', 'description'),
  ...keywords(isBoolean, 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
  ...keywords(Number.isFinite, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...keywords(isCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...keywords(isSound, 'items', 'additionalProperties', 'propertyNames', 'contains', 'not'),
  ...keywords(isSoundList, 'anyOf', 'oneOf', 'allOf'),
  ...keywords(() => true, 'default', 'const'),
  ['properties', isSoundMap],
  ['type', value => isType(value) || (isSet(value) && value.length > 0 && value.every(isType))],
  ['required', value => isSet(value) && value.every(isString)],
  ['enum', value => isSet(value) && value.length > 0],
  ['examples', Array.isArray],
  ['multipleOf', value => typeof value === 'number' && value > 0],
  ['pattern', isPattern],
  // Ajv ignores unknown formats, but finds inherited properties such as `constructor`.
  ['format', value => isString(value) && !(value in Object.prototype)],
])

/**
 * True for common schemas that are certainly valid and can be compiled. Other schemas need the meta-schema, whose compilation
 * costs a command 80 ms.
 */
export function isSound(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true
  return (
    isRecord(schema) && Object.entries(schema).every(([keyword, value]) => KEYWORDS.get(keyword)?.(value))
  )
}

function keywords(check: Check, ...names: string[]): [string, Check][] {
  return names.map(name => [name, check])
}

function isSoundList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSound)
}

function isSoundMap(value: unknown): boolean {
  return isRecord(value) && Object.entries(value).every(([name, one]) => name !== '__proto__' && isSound(one))
}

/** List of distinct primitive values. */
function isSet(value: unknown): value is unknown[] {
  return (
    Array.isArray(value) &&
    new Set(value).size === value.length &&
    value.every(one => one === null || typeof one !== 'object')
  )
}

function isPattern(value: unknown): boolean {
  try {
    return isString(value) && Boolean(createPattern(value, 'u'))
  } catch {
    return false // the meta-schema reports the reason
  }
}

function isType(value: unknown): boolean {
  return JSON_TYPES.includes(value as string)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
