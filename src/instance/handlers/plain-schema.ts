import type { JsonSchema } from '../../shared/json/json-schema.ts'
import { isObject } from '../protocol/json-rpc.ts'

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
 * Returns a fast check for objects with simple typed properties, which is what most tools take. True means that the value is
 * certainly valid. For false, the compiled schema decides. Returns undefined for more complex schemas.
 */
export function readPlainSchema(schema: JsonSchema): ((value: unknown) => boolean) | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  if (type !== 'object' || !hasOnly(schema, OBJECT_KEYWORDS) || typeof additionalProperties !== 'boolean')
    return undefined
  const checks = readProperties(properties)
  if (!checks || !Array.isArray(required)) return undefined
  return value =>
    isObject(value) &&
    required.every(name => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => checks.get(name)?.(member) ?? additionalProperties)
}

function readProperties(properties: unknown): Map<string, (value: unknown) => boolean> | undefined {
  if (!isObject(properties)) return undefined
  const checks = new Map<string, (value: unknown) => boolean>()
  for (const [name, property] of Object.entries(properties)) {
    // Every object inherits members with these names, so their presence proves nothing.
    if (name in Object.prototype || !isObject(property) || !hasOnly(property, PROPERTY_KEYWORDS))
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
