import { check } from '../check/check.ts'
import { conditionalParts, references } from '../check/combined.ts'
import { listIn } from '../check/visit.ts'
import { merge } from './merge.ts'
import { isSchemaObject, type SchemaDocument, type SchemaObject } from './schema-document.ts'
import { plain, type State } from './state.ts'

/** Maximum total weight of a schema's parts, by their keywords and properties. A heavier schema is edited as raw JSON. */
const MAX_WEIGHT = 5000
/** Lower limit, for when only labels or fixed values of a schema are needed. */
export const LIGHT_WEIGHT = 1000
/** Conditions in the schemas of real tools look at few values. */
const CONDITION_STEPS = 500

const COMBINED = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'if',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
]

/**
 * One schema for a value, without references, `allOf` and conditions. Conditions depend on the value. False when no value is
 * valid, undefined when the schema is too complex to show.
 */
export function flatten(
  schema: unknown,
  state: State,
  document: SchemaDocument,
  weight = MAX_WEIGHT,
): SchemaObject | false | undefined {
  const budget = { weight }
  const flat = flattenPart(schema, plain(state), document, budget)
  return budget.weight < 0 ? undefined : flat
}

function flattenPart(
  schema: unknown,
  state: State,
  document: SchemaDocument,
  budget: { weight: number },
): SchemaObject | false {
  if (schema === false) return false
  if (!isSchemaObject(schema)) return {}
  if (!COMBINED.some(keyword => keyword in schema)) return asTuple(schema)
  budget.weight -= weigh(schema)
  let flat: SchemaObject = asTuple(omit(schema, COMBINED))
  for (const part of appliedParts(schema, state, document)) {
    if (budget.weight < 0) return {}
    const other = flattenPart(part, state, document, budget)
    if (other === false) return false
    budget.weight -= weigh(other)
    flat = merge(flat, other)
  }
  return flat
}

function appliedParts(schema: SchemaObject, state: State, document: SchemaDocument): unknown[] {
  const matches = (part: unknown) =>
    state !== undefined && check(part, state, document, CONDITION_STEPS).length === 0
  return [
    ...references(schema).map(reference => document.resolve(reference)),
    ...listIn(schema.allOf),
    ...conditionalParts(schema, state, matches),
  ]
}

/** Weight of a schema. At least 20, so that a self-reference soon exceeds the limit. Conditions weigh most: checks are slow. */
function weigh(schema: SchemaObject): number {
  const properties = isSchemaObject(schema.properties) ? Object.keys(schema.properties).length : 0
  return 20 + Object.keys(schema).length + properties + ('if' in schema ? 100 : 0)
}

export function omit(schema: SchemaObject, keywords: readonly string[]): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/** Converts draft-07's list in `items` to `prefixItems`. */
function asTuple(schema: SchemaObject): SchemaObject {
  if (!Array.isArray(schema.items)) return schema
  return { ...schema, prefixItems: schema.items, items: schema.additionalItems }
}
