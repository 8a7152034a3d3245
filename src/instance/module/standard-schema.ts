import type { JsonSchema, Schema, StandardIssue, StandardSchema } from '../../sdk/schema.ts'

const TARGET = { target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } } as const
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** True for a Standard Schema, which is an object or, in ArkType, a function. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  return isHolder && typeof (schema as StandardSchema)['~standard']?.validate === 'function'
}

/**
 * Converts a schema to JSON Schema 2020-12 for the input or the output of its transforms. Throws an Error with instructions when
 * the library of the schema does not support the conversion.
 */
export function toJsonSchema(
  schema: Schema,
  side: 'input' | 'output',
  where: string,
): Record<string, unknown> {
  if (!isStandardSchema(schema)) return schema as JsonSchema
  const { jsonSchema, vendor } = schema['~standard']
  if (!jsonSchema)
    throw new Error(
      `${where} is a schema from ${vendor} that cannot be converted to JSON Schema. Use zod 4.2 or later (not zod/mini), ArkType 2.1.28 or later, Valibot's toStandardJsonSchema(), or JSON Schema itself.`,
    )
  try {
    const { $schema, ...plain } = jsonSchema[side](TARGET)
    return $schema === undefined || $schema === DIALECT ? plain : { $schema, ...plain }
  } catch (error) {
    throw new Error(`${where} cannot be converted to JSON Schema: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** One sentence for the first issue: `"city.name": must be …`. */
export function describeIssue(issues: readonly StandardIssue[]): string {
  const [first] = issues
  if (!first) return 'it is not valid'
  const steps = (first.path ?? []).map(step => String(typeof step === 'object' ? step.key : step))
  return steps.length > 0 ? `"${steps.join('.')}": ${first.message}` : first.message
}
