import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Any JSON Schema as it came in: 2020-12 by default, draft-07 when its `$schema` says so (MCP 2025-11-25, SEP-1613). */
export type JsonSchema = Record<string, unknown>

const options = { strict: false, allErrors: false, validateFormats: true, addUsedSchema: false } as const

// Created on first use: a process that validates nothing does not pay for it.
let draft2020: Ajv | undefined
let draft07: Ajv | undefined

function ajvFor(schema: JsonSchema): Ajv {
  if (/draft-0[467]/.test(String(schema.$schema ?? ''))) {
    draft07 ??= withFormats(new Ajv(options))
    return draft07
  }
  draft2020 ??= withFormats(new Ajv2020(options))
  return draft2020
}

function withFormats(ajv: Ajv): Ajv {
  // ajv-formats is CommonJS: its callable default lies one level deeper under native ESM.
  const add = (addFormats as unknown as { default?: typeof addFormats }).default ?? addFormats
  ;(add as unknown as (target: Ajv) => void)(ajv)
  return ajv
}

/** Compiles a schema once. Throws Ajv's error for an invalid schema or a `$ref` that leads out of it. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  // `$id` would register the schema in the shared instance and clash with another server's.
  const { $id: _id, ...anonymous } = schema
  const ajv = ajvFor(schema)
  const validate = ajv.compile(anonymous)
  // Ajv keeps every schema it ever saw; a host of many servers must be able to forget one.
  ajv.removeSchema(anonymous)
  return validate
}

/** One sentence for the first violation that names the field: `"city" must be string`. */
export function describeViolation(
  errors: readonly ErrorObject[] | null | undefined,
  subject = 'arguments',
): string {
  const error = errors?.[0]
  if (!error) return `${subject} do not match the schema`
  const field = error.instancePath.slice(1).replaceAll('/', '.')
  const name = field ? `"${field}"` : subject
  switch (error.keyword) {
    case 'required':
      return `"${field ? `${field}.` : ''}${error.params.missingProperty}" is required`
    case 'additionalProperties':
      return `"${field ? `${field}.` : ''}${error.params.additionalProperty}" is not a known field`
    case 'enum':
      return `${name} must be one of ${error.params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `${name} must be ${JSON.stringify(error.params.allowedValue)}`
    default:
      return `${name} ${error.message ?? 'is not valid'}`
  }
}
