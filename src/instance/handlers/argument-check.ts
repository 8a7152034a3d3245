import { compileSchema, describeViolation, type JsonSchema } from '../../shared/json-schema.ts'

/** Tells what is wrong with a value, in one sentence that names the field; undefined when nothing is. */
export type Check = (value: unknown) => string | undefined

/** Fills in the schema's defaults, then validates. Throws for a schema that does not compile. */
export function compileArgumentCheck(schema: JsonSchema): Check {
  const validate = compileSchema(schema, { useDefaults: true, isChecked: true })
  return args => (validate(args) ? undefined : describeViolation(validate.errors, 'arguments'))
}

export function compileResultCheck(schema: JsonSchema): Check {
  const validate = compileSchema(schema, { isChecked: true })
  return value => (validate(value) ? undefined : describeViolation(validate.errors, 'the result'))
}
