import { readFileSync } from 'node:fs'
import type { Prompt } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import { typeNames } from '../../shared/json/violations.ts'
import { nearestName } from '../../shared/names.ts'
import type { ArgumentSchema } from '../choices/argument-choices.ts'

type Schema = Record<string, unknown>

const SHOWN_CHARACTERS = 100

/** Reads a file or standard input (`-`). */
export type ReadInput = (source: '-' | { file: string }) => string

/**
 * Parses tool arguments: `key=value` (converted to the type in the schema), `key:=<json>`, one JSON object, `@file` and `-` (a
 * JSON object each). A repeated `key=value` extends a list. Otherwise, a later value overrides an earlier one. Throws
 * INVALID_REQUEST naming the argument.
 */
export function parseToolArguments(
  words: readonly string[],
  inputSchema: Schema,
  readInput: ReadInput = readFileOrStdin,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  const plain = new Set<string>()
  for (const word of words) {
    if (word === '-') Object.assign(result, parseObject(readInput('-'), 'Standard input'))
    else if (word.startsWith('@'))
      Object.assign(result, parseObject(readInput({ file: word.slice(1) }), word.slice(1)))
    else if (word.startsWith('{')) Object.assign(result, parseObject(word, `The argument ${shorten(word)}`))
    else assign(result, word, { inputSchema, plain })
  }
  return result
}

/** Schema of a prompt's arguments, which are strings. */
export function promptSchema({ arguments: all = [] }: Prompt): ArgumentSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(({ name, description }) => [name, { type: 'string', ...(description && { description }) }]),
    ),
    required: all.filter(one => one.required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function readFileOrStdin(source: '-' | { file: string }): string {
  try {
    // Descriptor 0 instead of /dev/stdin, which fails for sockets and closed input.
    return readFileSync(source === '-' ? 0 : source.file, 'utf8')
  } catch (error) {
    const name = source === '-' ? 'standard input' : source.file
    throw new HostingError(
      'INVALID_REQUEST',
      `Could not read arguments from ${name}: ${(error as Error).message}.`,
      {
        cause: error,
      },
    )
  }
}

function parseObject(text: string, source: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `${source} is not JSON: ${(error as Error).message}.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HostingError('INVALID_REQUEST', `${source} must be a JSON object of arguments.`)
  return value as Record<string, unknown>
}

/** `plain`: keys that were already given as `key=value`. */
function assign(
  target: Record<string, unknown>,
  word: string,
  { inputSchema, plain }: { inputSchema: Schema; plain: Set<string> },
): void {
  const match = /^([^=]+?)(:?=)(.*)$/s.exec(word)
  if (!match)
    throw new HostingError(
      'INVALID_REQUEST',
      `"${word}" is not an argument, expected key=value, key:=<json>, a JSON object, @file or -.`,
    )
  const [, key = '', operator, text = ''] = match
  const schema = propertySchema(inputSchema, key)
  const value = operator === ':=' ? parseJson(key, text) : coerce(key, text, schema)
  const before = target[key]
  const extendsList = operator === '=' && plain.has(key) && Array.isArray(before) && Array.isArray(value)
  target[key] = extendsList ? [...before, ...value] : value
  if (operator === '=') plain.add(key)
}

/** A long argument would hide the reason after it. */
function shorten(word: string): string {
  return word.length > SHOWN_CHARACTERS ? `${word.slice(0, SHOWN_CHARACTERS - 1)}…` : word
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HostingError(
      'INVALID_REQUEST',
      `Value of "${key}" is not JSON: ${text}. For plain text, use ${key}=${text}`,
    )
  }
}

/**
 * Schema of one argument. Throws INVALID_REQUEST for an unknown argument if the schema is closed, or if the name resembles a
 * known one.
 */
function propertySchema(inputSchema: Schema, key: string): Schema {
  const properties = (inputSchema.properties ?? {}) as Record<string, Schema>
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined
  if (own) return resolveLocalRef(own, inputSchema)
  const names = Object.keys(properties)
  const near = nearestName(key, names)
  if (near || inputSchema.additionalProperties === false)
    throw new HostingError(
      'INVALID_REQUEST',
      `Unknown argument "${key}". ${near ? `Did you mean "${near}"?` : names.length > 0 ? `Known: ${names.join(', ')}.` : 'No arguments are accepted.'}`,
    )
  return {}
}

function resolveLocalRef(schema: Schema, root: Schema): Schema {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema
  const target = schema.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, segment) => (at as Schema | undefined)?.[segment.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    )
  return (target as Schema | undefined) ?? {}
}

function coerce(key: string, text: string, schema: Schema): unknown {
  const types = typesOf(schema)
  if (types.includes('string') || types.length === 0) return text
  if (types.includes('null') && text === 'null') return null
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (types.includes('integer') && Number.isInteger(number)) return number
  if (types.includes('number') && Number.isFinite(number)) return number
  if (types.includes('array')) return coerceList(key, text, schema)
  if (types.includes('object')) return parseJson(key, text)
  throw new HostingError('INVALID_REQUEST', `"${key}" must be ${typeNames(types)}, not "${text}".`)
}

/** `[1,2]` as JSON, otherwise values separated by commas. */
function coerceList(key: string, text: string, schema: Schema): unknown {
  if (text.startsWith('[')) return parseJson(key, text)
  if (text === '') return []
  const items = (schema.items ?? {}) as Schema
  return text.split(',').map(item => coerce(key, item.trim(), items))
}

function typesOf(schema: Schema): string[] {
  if (Array.isArray(schema.type)) return schema.type as string[]
  if (typeof schema.type === 'string') return [schema.type]
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (alternatives) return alternatives.flatMap(typesOf)
  const example = Array.isArray(schema.enum) ? schema.enum[0] : schema.const
  return example === undefined ? [] : [typeof example]
}
