import type { JsonSchema } from '../json/json-schema.ts'
import { joinPath } from '../json/json-walk.ts'

export interface Subschema {
  path: string
  schema: JsonSchema
  /** True for an argument, at any depth, that is nested only in `properties`. */
  isArgument: boolean
}

/** Keywords whose value is data and does not contain schemas. */
const DATA = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']
/** Keywords whose value maps names to schemas. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']

/** A schema and all schemas in it. */
export function listSubschemas(path: string, schema: JsonSchema): Subschema[] {
  return [{ path, schema, isArgument: false }, ...walk(path, schema, true)]
}

function* walk(path: string, schema: JsonSchema, isReachable: boolean): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.includes(keyword) || !isObject(value)) continue
    const place = joinPath(path, keyword)
    const isMap = MAPS.includes(keyword)
    const isArgument = isReachable && keyword === 'properties'
    if (!isMap && !Array.isArray(value)) yield* enter(place, value, false)
    else
      for (const [key, member] of Object.entries(value))
        yield* enter(joinPath(place, isMap ? key : Number(key)), member, isArgument)
  }
}

function* enter(path: string, schema: unknown, isArgument: boolean): Generator<Subschema> {
  if (!isObject(schema) || Array.isArray(schema)) return
  yield { path, schema, isArgument }
  yield* walk(path, schema, isArgument)
}

function isObject(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object'
}
