import { compileSchema, type JsonSchema } from '../../shared/json/json-schema.ts'
import { sampleArray } from './array.ts'
import type { Attempt, Place, Sampler } from './attempt.ts'
import { flattenSchema, typeOf } from './flatten-schema.ts'
import { sampleObject } from './object.ts'
import { sampleNumber, sampleString } from './scalars.ts'

/** Schemas that are nested deeper are assumed to require themselves and to have no finite value. */
const MAX_DEPTH = 40
const BRANCHES = 4

/**
 * Creates values that match a schema. Equal arguments give equal values. If no attempt is valid, for example because the schema
 * contradicts itself, returns the first value or null. The check of the answer then reports the error.
 */
export function createSampler(schema: JsonSchema): (args: Record<string, unknown>) => unknown {
  const isValid = compileSchema(schema)
  return args => {
    let first: unknown
    for (const attempt of attempts(schema, args)) {
      const value = sampleAs(schema, attempt, { depth: 0, seed: 0 })
      if (value !== undefined && isValid(value)) return value
      first ??= value
    }
    return first ?? null
  }
}

/** Attempts for each alternative, from the richest sample to the smallest. */
function* attempts(root: JsonSchema, args: Record<string, unknown>): Generator<Attempt> {
  for (let branch = 0; branch < BRANCHES; branch++) {
    yield { root, args, annotated: true, optional: true, branch }
    yield { root, args: {}, annotated: true, optional: true, branch }
    yield { root, args: {}, annotated: false, optional: true, branch }
    yield { root, args: {}, annotated: true, optional: false, branch }
    yield { root, args: {}, annotated: false, optional: false, branch }
  }
}

/** Undefined when no matching value was found. */
function sampleAs(given: unknown, attempt: Attempt, place: Place): unknown {
  if (given === false || place.depth > MAX_DEPTH) return undefined
  const schema = flattenSchema(given, attempt)
  if (schema === undefined) return undefined
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[place.seed % schema.enum.length]
  if (attempt.annotated) {
    const annotated = annotation(schema, place)
    if (annotated !== undefined) return annotated
  }
  return sampleOfType(schema, attempt, place)
}

function annotation({ examples, default: fallback }: JsonSchema, { seed }: Place): unknown {
  const values = [...(Array.isArray(examples) ? examples : []), ...(fallback === undefined ? [] : [fallback])]
  return values[seed]
}

function sampleOfType(schema: JsonSchema, attempt: Attempt, place: Place): unknown {
  const sampler: Sampler = (member, at) => sampleAs(member, attempt, at)
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, attempt, place, sampler)
    case 'array':
      return sampleArray(schema, attempt, place, sampler)
    case 'integer':
      return sampleNumber(schema, place.seed, true)
    case 'number':
      return sampleNumber(schema, place.seed, false)
    case 'boolean':
      return place.seed % 2 === 0
    case 'null':
      return null
    default:
      return sampleString(schema, place.seed)
  }
}
