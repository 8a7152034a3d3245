import type { SchemaCheck } from '../../shared/suite/judge-calls.ts'

/** Loads ajv, which is large, only for suites with a schema. */
export async function loadSchemaCheck(): Promise<SchemaCheck> {
  const [{ compileSchema }, { describeViolation }] = await Promise.all([
    import('../../shared/json/json-schema.ts'),
    import('../../shared/json/violations.ts'),
  ])
  return (schema, value) => {
    const validate = compileSchema(schema)
    return validate(value) ? null : describeViolation(validate.errors)
  }
}
