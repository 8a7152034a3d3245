import type { JsonSchema } from '../../shared/json/json-schema.ts'
import { type Attempt, FULL_DEPTH, type Place, type Sampler } from './attempt.ts'
import { mergeSchemas } from './flatten-schema.ts'
import { samplePattern } from './pattern.ts'

type Members = Record<string, unknown>

/** Undefined when a required member has no possible value. */
export function sampleObject(
  given: JsonSchema,
  attempt: Attempt,
  place: Place,
  sampler: Sampler,
): Members | undefined {
  const schema = withDependents(given, namesOf(given, attempt, place))
  const value: Members = {}
  const required = requiredOf(schema)
  for (const name of namesOf(schema, attempt, place)) {
    if (place.depth === 0 && Object.hasOwn(attempt.args, name)) {
      value[name] = attempt.args[name]
      continue
    }
    const member = sampler(memberSchema(schema, name), { depth: place.depth + 1, seed: place.seed })
    if (member !== undefined) value[name] = member
    else if (required.includes(name)) return undefined
  }
  return fillUp(schema, value, place, sampler)
}

/** Required members, and optional ones within the limits on depth and number. */
function namesOf(schema: JsonSchema, { optional }: Attempt, { depth }: Place): string[] {
  const required = requiredOf(schema)
  if (!optional || depth >= FULL_DEPTH) return required
  const known = Object.keys((schema.properties as object | undefined) ?? {})
  const max = typeof schema.maxProperties === 'number' ? schema.maxProperties : Number.POSITIVE_INFINITY
  const extra = known.filter(name => !required.includes(name)).slice(0, Math.max(0, max - required.length))
  // In the order of the properties, as the author wrote them.
  return [
    ...known.filter(name => required.includes(name) || extra.includes(name)),
    ...required.filter(name => !known.includes(name)),
  ]
}

function requiredOf(schema: JsonSchema): string[] {
  return (schema.required as string[] | undefined) ?? []
}

/** Applies `dependentRequired` and `dependentSchemas`. In draft-07, `dependencies` combines both keywords. */
function withDependents(schema: JsonSchema, names: string[]): JsonSchema {
  const { dependentRequired, dependentSchemas, dependencies } = schema as Record<
    string,
    JsonSchema | undefined
  >
  return names.reduce((merged, name) => {
    for (const asked of [dependentRequired?.[name], dependentSchemas?.[name], dependencies?.[name]]) {
      if (Array.isArray(asked)) merged = mergeSchemas(merged, { required: asked })
      else if (asked !== null && typeof asked === 'object') merged = mergeSchemas(merged, asked as JsonSchema)
    }
    return merged
  }, schema)
}

function memberSchema(schema: JsonSchema, name: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema as Record<
    string,
    JsonSchema | undefined
  >
  const patterns = Object.entries(patternProperties ?? {}).filter(([pattern]) =>
    new RegExp(pattern, 'u').test(name),
  )
  const matching = patterns.map(([, member]) => member)
  const own = properties && Object.hasOwn(properties, name) ? [properties[name]] : []
  const all = [...own, ...matching]
  if (all.length === 0) return additionalProperties ?? {}
  return all.length === 1 ? all[0] : { allOf: all }
}

/** Adds members until `minProperties` is reached. */
function fillUp(schema: JsonSchema, value: Members, place: Place, sampler: Sampler): Members {
  const min = Number(schema.minProperties ?? 0)
  for (let index = 0; Object.keys(value).length < min && index < min * 2; index++) {
    const name = makeName(schema, index)
    if (name === undefined || Object.hasOwn(value, name)) continue
    const member = sampler(memberSchema(schema, name), { depth: place.depth + 1, seed: index })
    if (member !== undefined) value[name] = member
  }
  return value
}

function makeName(
  { propertyNames, patternProperties, additionalProperties }: JsonSchema,
  index: number,
): string | undefined {
  const { pattern, enum: names } = (propertyNames ?? {}) as { pattern?: string; enum?: string[] }
  if (names) return names[index]
  if (pattern !== undefined) return samplePattern(pattern, { seed: index, extra: index })
  const [first] = Object.keys((patternProperties as object | undefined) ?? {})
  if (first !== undefined && additionalProperties === false)
    return samplePattern(first, { seed: index, extra: index })
  return `field${index + 1}`
}
