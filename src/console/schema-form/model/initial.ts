import { itemSchema } from '../check/lists.ts'
import { listIn, numberOf, schemasIn } from '../check/visit.ts'
import { describeField, type Field } from './field.ts'
import type { SchemaDocument } from './schema-document.ts'
import { BLANK, Chosen, type State } from './state.ts'

/** Deeper parts without a default or fixed value start absent, so that a schema that requires itself terminates. */
const MAX_DEPTH = 4
/** Parts beyond this number also start absent. */
const MAX_PARTS = 200

/** Initial value of a field: defaults, fixed values and required parts. Optional members start absent. */
export function initialState(schema: unknown, document: SchemaDocument): State {
  return startPart(schema, { document, left: MAX_PARTS }, 0)
}

interface Run {
  document: SchemaDocument
  left: number
}

function startPart(schema: unknown, run: Run, depth: number): State {
  if (run.left-- <= 0) return undefined
  const field = describeField(schema, undefined, run.document)
  if (field.schema.default !== undefined) return field.schema.default as State
  if (field.kind === 'choice' && field.options.length === 1) return field.options[0]!.value as State
  if (depth > MAX_DEPTH) return undefined
  const start = (part: unknown) => startPart(part, run, depth + 1)
  if (field.kind === 'alternatives') return new Chosen(field.keyword, 0, start(field.alternatives[0]?.schema))
  if (field.kind === 'object') return startMembers(field, start)
  return field.kind === 'list' ? startItems(field, start) : undefined
}

function startMembers({ schema }: Field, start: (part: unknown) => State): State {
  const properties = schemasIn(schema.properties)
  const names = listIn(schema.required).filter(name => typeof name === 'string')
  const known = names.filter(name => Object.hasOwn(properties, name)).slice(0, MAX_PARTS)
  const members = known.map(name => [name, start(properties[name])] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

function startItems({ schema }: Field, start: (part: unknown) => State): State {
  const count = Math.max(0, Math.min(numberOf(schema.minItems) ?? 0, MAX_PARTS))
  return Array.from({ length: count }, (_, index) => start(itemSchema(schema, index)))
}

/** Initial value of a new item or entry, which takes its position even before it has a value. */
export function blankState(schema: unknown, document: SchemaDocument): State {
  const start = initialState(schema, document)
  if (start !== undefined) return start
  return describeField(schema, undefined, document).kind === 'text' ? '' : BLANK
}
