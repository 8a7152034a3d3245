import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createPattern } from './bounded-pattern.ts'
import { uniqueItems } from './unique-items.ts'
import { hasInheritedDefault, withoutPrototypes } from './without-prototypes.ts'

/** Any JSON Schema as received: 2020-12 by default, draft-07 when its `$schema` says so (MCP 2025-11-25, SEP-1613). */
export type JsonSchema = Record<string, unknown>

export const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema',
] as const

const BASE_OPTIONS: Options = {
  strict: false,
  logger: false,
  validateFormats: true,
  // Errors contain their schema, which is needed to suggest the correct spelling of a name.
  verbose: true,
  // 0.3 is a multiple of 0.1, even though 0.3 / 0.1 is 2.9999999999999996.
  multipleOfPrecision: 9,
  // `code` is only used for validators that are written to files.
  code: { regExp: Object.assign(createPattern, { code: 'createPattern' }) },
}

/** Matches JSON with a string that names a property of every object, such as "constructor". */
const INHERITED_NAME = new RegExp(`"(${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/** Ajv's `url` format takes time that grows with the square of the length. */
const MAX_URL_LENGTH = 8192

type Draft = '2020-12' | 'draft-07'
// Created on first use, because not every process validates.
const validators = new Map<string, Ajv>()

export interface CompileOptions {
  /** Adds the schema's `default`s to the validated value. */
  useDefaults?: boolean
  /** The schema is known to be valid. Saves compiling its meta-schema, which takes 45 ms and 4 MB. */
  isChecked?: boolean
  /**
   * Compiles in half the time, without optimizing the code, to check whether it succeeds. Only for schemas that passed
   * `listSchemaErrors`.
   */
  isTrial?: boolean
}

interface AjvOptions extends CompileOptions {
  /** Ignores inherited properties. Otherwise `{}` has a property `constructor`. Makes each validation slower. */
  ownProperties?: boolean
}

/**
 * Compiles a schema. Throws Ajv's error for an invalid schema or a `$ref` that points outside it. An unknown dialect counts
 * as 2020-12. Builds reject unknown dialects.
 */
export function compileSchema(schema: JsonSchema, compileOptions: CompileOptions = {}): ValidateFunction {
  // `$id` would register the schema in the shared instance, where it could clash with the `$id` of another server's schema.
  const { $id: _id, $schema: _dialect, ...anonymous } = schema
  const ajvOptions = { ...compileOptions, ownProperties: INHERITED_NAME.test(JSON.stringify(anonymous)) }
  // Ajv never forgets nested schemas with an `$id`, so they get an instance that is garbage-collected with them.
  const ajv = hasInnerId(anonymous)
    ? createAjv(draftOf(schema), ajvOptions)
    : sharedAjv(draftOf(schema), ajvOptions)
  const validate = ajv.compile(anonymous)
  // Ajv would keep the schema forever, so a process that serves many servers would use more and more memory.
  ajv.removeSchema(anonymous)
  // Even with `ownProperties`, Ajv omits the default of a property that the value inherits.
  return ajvOptions.useDefaults && hasInheritedDefault(anonymous) ? withoutPrototypes(validate) : validate
}

/** Violations of the dialect's meta-schema. Empty for a valid schema. */
export function listSchemaErrors(schema: JsonSchema): ErrorObject[] {
  const { $schema: _dialect, ...plain } = schema
  // Shares the instance of trial compilations, because another instance would compile the meta-schema again, which takes 80 ms.
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

function sharedAjv(draft: Draft, ajvOptions: AjvOptions): Ajv {
  const { useDefaults, isChecked, isTrial, ownProperties = false } = ajvOptions
  const key = `${draft} ${useDefaults} ${isChecked} ${isTrial} ${ownProperties}`
  const ajv = validators.get(key) ?? createAjv(draft, ajvOptions)
  validators.set(key, ajv)
  return ajv
}

function createAjv(
  draft: Draft,
  { useDefaults = false, isChecked = false, isTrial = false, ownProperties = false }: AjvOptions,
): Ajv {
  const code = { ...BASE_OPTIONS.code, optimize: !isTrial }
  const checks = { meta: !isChecked, validateSchema: !isChecked && !isTrial }
  const all = { ...BASE_OPTIONS, ...checks, code, useDefaults, ownProperties }
  const ajv = draft === 'draft-07' ? new Ajv(all) : new Ajv2020(all)
  // ajv-formats is CommonJS. In native ESM, its function is one level deeper.
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
