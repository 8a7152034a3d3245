import { compileSchema, type JsonSchema } from '../../shared/json/json-schema.ts'
import { describeViolation } from '../../shared/json/violations.ts'
import { readPlainSchema } from './plain-schema.ts'

/** Returns one sentence that names the invalid field, or undefined for a valid value. */
export type Check = (value: unknown) => string | undefined

/** Number of calls after which compilation pays off. When a thousand servers wake together, each gets fewer calls than that. */
const CALLS_BEFORE_COMPILING = 8

/** Applies the schema's defaults, then validates. Throws for a schema that does not compile. */
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
