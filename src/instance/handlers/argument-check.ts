import { compileSchema, describeViolation, type JsonSchema } from '../../shared/json-schema.ts'
import { readPlainSchema } from './plain-schema.ts'

/** Tells what is wrong with a value, in one sentence that names the field; undefined when nothing is. */
export type Check = (value: unknown) => string | undefined

/** A thousand servers that wake at once are called once each; compiled code pays from about here on. */
const CALLS_BEFORE_COMPILING = 8

/** Fills in the schema's defaults, then validates. Throws for a schema that does not compile. */
export function compileArgumentCheck(schema: JsonSchema): Check {
  const compile = (): Check => {
    const validate = compileSchema(schema, { useDefaults: true, isChecked: true })
    return args => (validate(args) ? undefined : describeViolation(validate.errors, 'arguments'))
  }
  const isSurelyValid = readPlainSchema(schema)
  return isSurelyValid ? compileLater(isSurelyValid, compile) : compile()
}

export function compileResultCheck(schema: JsonSchema): Check {
  const validate = compileSchema(schema, { isChecked: true })
  return value => (validate(value) ? undefined : describeViolation(validate.errors, 'the result'))
}

function compileLater(isSurelyValid: (value: unknown) => boolean, compile: () => Check): Check {
  let compiled: Check | undefined
  let calls = 0
  return args => {
    if (compiled) return compiled(args)
    if (++calls <= CALLS_BEFORE_COMPILING && isSurelyValid(args)) return undefined
    compiled = compile()
    return compiled(args)
  }
}
