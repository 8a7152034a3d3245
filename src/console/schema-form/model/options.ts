import { matchesType } from '../check/scalars.ts'
import { flatten, LIGHT_WEIGHT } from './flatten.ts'
import { isSchemaObject, type SchemaDocument, type SchemaObject } from './schema-document.ts'

/** One of the fixed values of a choice. */
export interface Option {
  label: string
  value: unknown
}

/** More values are typed as text or JSON instead. */
const MAX_OPTIONS = 1000
const MAX_LABEL = 120
const MAX_NESTING = 5

/** All values that a schema allows, when it lists them: enum, const, boolean, null, or alternatives of these. */
export function fixedValues(
  schema: SchemaObject,
  document: SchemaDocument,
  nesting = 0,
): Option[] | undefined {
  const listed = listedValues(schema) ?? alternativeValues(schema, document, nesting)
  if (!listed || listed.length > MAX_OPTIONS) return undefined
  const types = typesOf(schema)
  return types.length === 0
    ? listed
    : listed.filter(({ value }) => types.some(type => matchesType(type, value)))
}

function listedValues(schema: SchemaObject): Option[] | undefined {
  if ('const' in schema) return [toOption(schema.const, schema.title)]
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : []
    return schema.enum.slice(0, MAX_OPTIONS + 1).map((value, index) => toOption(value, names[index]))
  }
  const types = typesOf(schema)
  if (types.length === 0 || !types.every(type => type === 'boolean' || type === 'null')) return undefined
  return types.flatMap(type => (type === 'null' ? [null] : [true, false])).map(value => toOption(value))
}

function alternativeValues(
  schema: SchemaObject,
  document: SchemaDocument,
  nesting: number,
): Option[] | undefined {
  const alternatives = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(alternatives) || alternatives.length > MAX_OPTIONS || nesting > MAX_NESTING)
    return undefined
  const values: Option[] = []
  for (const alternative of alternatives) {
    const flat = flatten(alternative, undefined, document, LIGHT_WEIGHT)
    const options = flat ? fixedValues(flat, document, nesting + 1) : undefined
    if (!options || values.length + options.length > MAX_OPTIONS) return undefined
    values.push(...options)
  }
  return values.length > 0 ? values : undefined
}

function toOption(value: unknown, title?: unknown): Option {
  const own = typeof value === 'string' ? value : JSON.stringify(value)
  const label = typeof title === 'string' && title !== '' ? title : own
  return { value, label: label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL)}…` : label }
}

/** Types that the schema names. Empty when it allows all. `integer` is dropped next to `number`. */
export function typesOf({ type }: SchemaObject): string[] {
  const types = [...new Set([type].flat())].filter(one => typeof one === 'string')
  return types.includes('number') ? types.filter(one => one !== 'integer') : types
}

const SIGNS: readonly [string, readonly string[]][] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'propertyNames'],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** Types that the schema names, or otherwise those that its keywords apply to. */
export function inferTypes(schema: SchemaObject): string[] {
  const types = typesOf(schema)
  if (types.length > 0) return types
  return SIGNS.filter(([, keywords]) => keywords.some(keyword => schema[keyword] !== undefined)).map(
    ([type]) => type,
  )
}

/** True for a schema that describes values, not only which members are required or forbidden. */
export function describesValue(schema: unknown): boolean {
  if (!isSchemaObject(schema)) return schema === true
  return Object.keys(schema).some(
    keyword => !['required', 'not', 'minProperties', 'maxProperties'].includes(keyword),
  )
}
