import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createPattern } from './bounded-pattern.ts'
import { nearestName } from './names.ts'
import { uniqueItems } from './unique-items.ts'

/** Any JSON Schema as it came in: 2020-12 by default, draft-07 when its `$schema` says so (MCP 2025-11-25, SEP-1613). */
export type JsonSchema = Record<string, unknown>

export const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema',
] as const

const options: Options = {
  strict: false,
  logger: false,
  validateFormats: true,
  // An error carries the schema it comes from, which near names are looked up in.
  verbose: true,
  // 0.3 is a multiple of 0.1, although 0.3 / 0.1 is 2.9999999999999996.
  multipleOfPrecision: 9,
  // `code` names the function in code that is written to a file, which none is.
  code: { regExp: Object.assign(createPattern, { code: 'createPattern' }) },
}

/** More is no URL, and the format's expression takes a time that grows with the square of the length. */
const MAX_URL_LENGTH = 8192

type Draft = '2020-12' | 'draft-07'
// Created on first use: a process that validates nothing does not pay for it.
const validators = new Map<string, Ajv>()

export interface CompileOptions {
  /** Writes the schema's `default`s into what is validated. */
  useDefaults?: boolean
  /** The schema was found valid before: its meta-schema, 45 ms and 4 MB, is then not even compiled. */
  isChecked?: boolean
  /** After `listSchemaErrors`. What is compiled only to see whether it can be takes half the time without its code being made short. */
  isTrial?: boolean
}

/**
 * Compiles a schema once. Throws Ajv's error for an invalid schema or a `$ref` that leads out of it; an unknown dialect
 * counts as 2020-12 (the build refuses those).
 */
export function compileSchema(schema: JsonSchema, compileOptions: CompileOptions = {}): ValidateFunction {
  // `$id` would register the schema in the shared instance and clash with another server's; the dialect is chosen here.
  const { $id: _id, $schema: _dialect, ...anonymous } = schema
  // Schemas within with an `$id` of their own stay registered for good, so they get an instance that goes with them.
  const ajv = hasInnerId(anonymous)
    ? createAjv(draftOf(schema), compileOptions)
    : sharedAjv(draftOf(schema), compileOptions)
  const validate = ajv.compile(anonymous)
  // Ajv keeps every schema it ever saw; a host of many servers must be able to forget one.
  ajv.removeSchema(anonymous)
  return validate
}

/** What the dialect's meta-schema says against a schema; empty for a valid one. */
export function listSchemaErrors(schema: JsonSchema): ErrorObject[] {
  const { $schema: _dialect, ...plain } = schema
  // The one that tries to compile it as well: a second one would compile the meta-schema again, 80 ms of a command.
  const ajv = sharedAjv(draftOf(schema), { isTrial: true })
  return ajv.validateSchema(plain) ? [] : (ajv.errors ?? [])
}

export function isKnownDialect(uri: string): boolean {
  return DIALECTS.some(
    dialect =>
      dialect ===
      uri
        .replace(/#$/, '')
        .replace(/^https:\/\/json-schema\.org\/draft-07/, 'http://json-schema.org/draft-07'),
  )
}

function draftOf(schema: JsonSchema): Draft {
  return /draft-07/.test(String(schema.$schema ?? '')) ? 'draft-07' : '2020-12'
}

function sharedAjv(draft: Draft, compileOptions: CompileOptions): Ajv {
  const { useDefaults, isChecked, isTrial } = compileOptions
  const key = `${draft} ${useDefaults} ${isChecked} ${isTrial}`
  const ajv = validators.get(key) ?? createAjv(draft, compileOptions)
  validators.set(key, ajv)
  return ajv
}

function createAjv(
  draft: Draft,
  { useDefaults = false, isChecked = false, isTrial = false }: CompileOptions,
): Ajv {
  const code = { ...options.code, optimize: !isTrial }
  const all = { ...options, code, useDefaults, meta: !isChecked, validateSchema: !isChecked && !isTrial }
  const ajv = draft === 'draft-07' ? new Ajv(all) : new Ajv2020(all)
  // ajv-formats is CommonJS: its callable default lies one level deeper under native ESM.
  const add = (addFormats as unknown as { default?: typeof addFormats }).default ?? addFormats
  ;(add as unknown as (target: Ajv) => void)(ajv)
  const url = ajv.formats.url as RegExp
  ajv.addFormat('url', text => text.length <= MAX_URL_LENGTH && url.test(text))
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems)
  return ajv
}

function hasInnerId(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  if (typeof (value as JsonSchema).$id === 'string') return true
  return Object.values(value).some(hasInnerId)
}

/** One sentence for the first violation that names the field: `"city" must be string`. */
export function describeViolation(
  errors: readonly ErrorObject[] | null | undefined,
  subject = 'arguments',
): string {
  const error = errors?.[0]
  if (!error) return `${subject} do not match the schema`
  const field = fieldName(error)
  const name = field ? `"${field}"` : subject
  const within = field ? `${field}.` : ''
  switch (error.keyword) {
    case 'required':
      return `"${within}${error.params.missingProperty}" is required${describeMissing(error)}`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty
      return `"${within}${unknown}" is not a known field${describeUnknown(unknown, error)}`
    }
    case 'enum':
      return `${name} must be one of ${error.params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}${describeValue(error)}`
    case 'const':
      return `${name} must be ${JSON.stringify(error.params.allowedValue)}${describeValue(error)}`
    default:
      return `${name} ${error.message ?? 'is not valid'}${describeValue(error)}`
  }
}

function fieldName(error: ErrorObject): string {
  return error.instancePath
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

/** What was given, short; objects and arrays by their kind alone. */
function describeValue({ data }: ErrorObject): string {
  if (data === undefined) return ''
  if (Array.isArray(data)) return ', not an array'
  if (data !== null && typeof data === 'object') return ', not an object'
  const text = JSON.stringify(data)
  return `, not ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

function describeUnknown(unknown: string, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const near = nearestName(unknown, known)
  if (near) return `; did you mean "${near}"?`
  return known.length > 0
    ? `; known are ${known
        .slice(0, 10)
        .map(name => `"${name}"`)
        .join(', ')}`
    : ''
}

function describeMissing({ params, data, parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const given = Object.keys((data as object | undefined) ?? {}).filter(name => !known.includes(name))
  const near = nearestName(params.missingProperty, given)
  if (near) return `; did you mean it by "${near}"?`
  const schema = (parentSchema?.properties as Record<string, JsonSchema> | undefined)?.[
    params.missingProperty
  ]
  return typeof schema?.type === 'string' ? ` (${schema.type})` : ''
}
