import * as z from 'zod'

/** Any JSON value. One schema for all uses: each `z.json()` is a recursive schema of its own in a description. */
export const jsonValue = z.json().meta({ id: 'JsonValue', description: 'Any JSON value.' })

/** Map of names to JSON values. */
export const jsonObject = z.record(z.string(), jsonValue)

/** A JSON Schema, checked by `validation/schemas.ts`. */
export const jsonSchema = z
  .record(z.string(), jsonValue)
  .meta({ id: 'JsonSchema', description: 'A JSON Schema: 2020-12, or draft-07 if `$schema` says so.' })

export type Json = z.infer<ReturnType<typeof z.json>>
