import type { JsonSchema } from '../../shared/json/json-schema.ts'
import { type Attempt, FULL_DEPTH, type Place, type Sampler } from './attempt.ts'

/** Undefined when a required entry has no possible value. */
export function sampleArray(
  schema: JsonSchema,
  attempt: Attempt,
  { depth }: Place,
  sampler: Sampler,
): unknown[] | undefined {
  const entries: unknown[] = []
  const count = countOf(schema, attempt, depth)
  for (let seed = 0; entries.length < count && seed < count * 3; seed++) {
    const entry = sampler(entrySchema(schema, entries.length), { depth: depth + 1, seed })
    if (entry === undefined) break
    if (!schema.uniqueItems || !entries.some(other => isSame(other, entry))) entries.push(entry)
  }
  return entries.length < Number(schema.minItems ?? 0) ? undefined : entries
}

function countOf(schema: JsonSchema, { optional }: Attempt, depth: number): number {
  const contained = schema.contains === undefined ? 0 : Number(schema.minContains ?? 1)
  const wantedLength = optional && depth < FULL_DEPTH ? Math.max(1, tupleOf(schema).length) : 0
  const max = Number(schema.maxItems ?? Number.POSITIVE_INFINITY)
  return Math.min(Math.max(Number(schema.minItems ?? 0), contained, wantedLength), max)
}

/** Schema of an entry. The first entries are those that `contains` requires. */
function entrySchema(schema: JsonSchema, index: number): unknown {
  const tuple = tupleOf(schema)
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  const entry = index < tuple.length ? tuple[index] : (rest ?? {})
  const isContained = schema.contains !== undefined && index < Number(schema.minContains ?? 1)
  return isContained ? { allOf: [entry, schema.contains] } : entry
}

/** Schemas of the first entries: `prefixItems`, or a list in `items` as in draft-07. */
function tupleOf({ prefixItems, items }: JsonSchema): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems
  return Array.isArray(items) ? items : []
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
