import { equalityKey } from '../../../shared/json/unique-items.ts'
import type { SchemaObject } from '../model/schema-document.ts'
import { asList, type State } from '../model/state.ts'
import { listIn, numberOf, type Problem, type Visit } from './visit.ts'

/** Comparing more items takes too long while typing. */
const MAX_COMPARED = 2000

/** Checks a list and its items. */
export function listProblems(schema: SchemaObject, at: Visit): Problem[] {
  const items = asList(at.state)
  if (!items) return []
  return [
    ...countProblems(schema, items.length, at),
    ...containsProblems(schema, items, at),
    ...(schema.uniqueItems === true && hasDuplicates(items)
      ? [at.problem('uniqueItems', {}, 'has duplicate items')]
      : []),
    ...items.flatMap((item, index) => at.inside(itemSchema(schema, index) ?? true, index, item)),
  ]
}

function countProblems(schema: SchemaObject, count: number, at: Visit): Problem[] {
  const [min, max] = [numberOf(schema.minItems), numberOf(schema.maxItems)]
  if (min !== undefined && count < min) return [at.problem('minItems', { limit: min }, 'has too few items')]
  if (max !== undefined && count > max) return [at.problem('maxItems', { limit: max }, 'has too many items')]
  return []
}

function containsProblems(schema: SchemaObject, items: State[], at: Visit): Problem[] {
  if (schema.contains === undefined) return []
  const matches = items.filter((item, index) => at.inside(schema.contains, index, item).length === 0).length
  const [min, max] = [numberOf(schema.minContains) ?? 1, numberOf(schema.maxContains) ?? items.length]
  if (matches < min)
    return [at.problem('contains', {}, `needs at least ${min} matching items (got ${matches})`)]
  if (matches > max)
    return [at.problem('contains', {}, `may have at most ${max} matching items (got ${matches})`)]
  return []
}

function hasDuplicates(items: State[]): boolean {
  return items.length <= MAX_COMPARED && new Set(items.map(equalityKey)).size < items.length
}

/** Fixed items of a tuple: `prefixItems`, or a list in `items` (draft-07). */
export function tupleOf(schema: SchemaObject): unknown[] {
  return Array.isArray(schema.items) ? schema.items : listIn(schema.prefixItems)
}

/** Schema for the items after the fixed ones. Undefined when anything is allowed. */
function restOf(schema: SchemaObject): unknown {
  return Array.isArray(schema.items) ? schema.additionalItems : schema.items
}

export function itemSchema(schema: SchemaObject, index: number): unknown {
  const tuple = tupleOf(schema)
  return index < tuple.length ? tuple[index] : restOf(schema)
}
