import * as z from 'zod'
import { jsonValue } from './json-value.ts'

export type SchemaDocument = Record<string, unknown> & { $defs?: Record<string, Record<string, unknown>> }

interface Options {
  io: 'input' | 'output'
  target?: 'draft-7' | 'draft-2020-12'
}

/**
 * JSON Schema of a zod schema, shortened for readers. Schemas with an `id` in their metadata become definitions with
 * that name.
 */
export function toSchemaDocument(
  schema: z.ZodType,
  { io, target = 'draft-2020-12' }: Options,
): SchemaDocument {
  const document = z.toJSONSchema(schema, {
    io,
    target,
    unrepresentable: 'any',
    override: shorten,
  }) as SchemaDocument
  const definitions = (document.$defs ?? document.definitions ?? {}) as Record<string, unknown>
  // Parts of the recursive JSON value schema, which `shorten` removed.
  for (const name of Object.keys(definitions)) if (name.startsWith('__schema')) delete definitions[name]
  return document
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

const shorten: Override = ({ zodSchema, jsonSchema }) => {
  if (zodSchema === jsonValue) {
    delete jsonSchema.$ref
    delete jsonSchema.allOf
  }
  // The format means the same as the pattern and is shorter.
  if (jsonSchema.format) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames
}
