import { equals, matchesType } from '../check/scalars.ts'
import { type Alternative, alternativesOf } from './alternatives.ts'
import { flatten } from './flatten.ts'
import { fixedValues, inferTypes, type Option } from './options.ts'
import type { SchemaDocument, SchemaObject } from './schema-document.ts'
import { type Alternatives, Draft, isBlank, kindOf, plain, type State } from './state.ts'

/** Widget that edits a value. `raw`: JSON text, because no other widget supports the schema. */
type Widget =
  | { kind: 'text' | 'number' | 'file' | 'object' | 'list' | 'raw' | 'none' }
  | { kind: 'choice'; options: Option[] }
  | { kind: 'alternatives'; keyword: Alternatives; alternatives: Alternative[] }

export type Field = Widget & {
  /** Without references and `allOf`. */
  schema: SchemaObject
  title?: string
  description?: string
}

/** The field for a value. Its children are described when they are shown, so that recursive schemas terminate. */
export function describeField(schema: unknown, state: State, document: SchemaDocument): Field {
  const flat = flatten(schema, state, document)
  if (!flat) return { kind: flat === false ? 'none' : 'raw', schema: {} }
  return {
    ...widgetOf(flat, document),
    schema: flat,
    title: textOf(flat.title),
    description: textOf(flat.description),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function widgetOf(schema: SchemaObject, document: SchemaDocument): Widget {
  const options = fixedValues(schema, document)
  if (options) return { kind: 'choice', options }
  const alternatives = alternativesOf(schema, document)
  if (alternatives) return { kind: 'alternatives', ...alternatives }
  const [type, ...others] = inferTypes(schema)
  if (type === undefined || others.length > 0) return { kind: 'raw' }
  if (type === 'string') return { kind: isFile(schema) ? 'file' : 'text' }
  if (type === 'array') return { kind: 'list' }
  if (type === 'object') return { kind: 'object' }
  return { kind: type === 'number' || type === 'integer' ? 'number' : 'raw' }
}

const FILE_FORMATS: readonly unknown[] = ['byte', 'binary', 'data-url']

/** Base64 text, or a data URL. */
function isFile({ contentEncoding, format }: SchemaObject): boolean {
  return contentEncoding === 'base64' || FILE_FORMATS.includes(format)
}

/** True when the field's widget can show the value. Otherwise it is shown as raw JSON. */
export function fits(field: Field, state: State): boolean {
  if (isBlank(state)) return true
  const kind = kindOf(state)
  switch (field.kind) {
    case 'choice':
      return field.options.some(({ value }) => equals(value, plain(state)))
    case 'number':
      return kind === 'number' || isNumberDraft(state)
    case 'text':
    case 'file':
      return kind === 'string'
    case 'object':
    case 'list':
      return matchesType(field.kind === 'list' ? 'array' : 'object', plain(state))
    default:
      return field.kind === 'alternatives'
  }
}

function isNumberDraft(state: State): boolean {
  const value = plain(state)
  return value instanceof Draft && value.widget === 'number'
}
