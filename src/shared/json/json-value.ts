import * as z from 'zod'

/** Any JSON value. Each additional `z.json()` would add a recursive schema to generated descriptions. */
export const jsonValue = z.json().meta({ id: 'JsonValue', description: 'Any JSON value.' })

/** Map of names to JSON values. */
export const jsonObject = z.record(z.string(), jsonValue)

/** A JSON Schema, checked by `validation/schemas.ts`. */
export const jsonSchema = z
  .record(z.string(), jsonValue)
  .meta({ id: 'JsonSchema', description: 'A JSON Schema: 2020-12, or draft-07 if `$schema` says so.' })

export type Json = z.infer<ReturnType<typeof z.json>>
