import type { JsonSchema } from '../../shared/json-schema.ts'

const TYPES = new Map<unknown, (value: unknown) => boolean>([
  ['string', value => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', value => typeof value === 'boolean'],
])
const OBJECT_KEYWORDS = new Set([
  '$schema',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
])
const PROPERTY_KEYWORDS = new Set(['type', 'title', 'description'])

/**
 * For an object of typed properties and nothing else, as most tools take: true only for a value that such a schema surely
 * allows. What it is not sure of is the compiled schema's to judge. Undefined for a schema that says more.
 */
export function readPlainSchema(schema: JsonSchema): ((value: unknown) => boolean) | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  if (type !== 'object' || !hasOnly(schema, OBJECT_KEYWORDS) || typeof additionalProperties !== 'boolean')
    return undefined
  const checks = readProperties(properties)
  if (!checks || !Array.isArray(required)) return undefined
  return value =>
    isRecord(value) &&
    required.every(name => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => checks.get(name)?.(member) ?? additionalProperties)
}

function readProperties(properties: unknown): Map<string, (value: unknown) => boolean> | undefined {
  if (!isRecord(properties)) return undefined
  const checks = new Map<string, (value: unknown) => boolean>()
  for (const [name, property] of Object.entries(properties)) {
    // Every object has these, whatever was sent.
    if (name in Object.prototype || !isRecord(property) || !hasOnly(property, PROPERTY_KEYWORDS))
      return undefined
    const check = TYPES.get(property.type)
    if (!check) return undefined
    checks.set(name, check)
  }
  return checks
}

function hasOnly(schema: JsonSchema, keywords: ReadonlySet<string>): boolean {
  return Object.keys(schema).every(keyword => keywords.has(keyword))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
