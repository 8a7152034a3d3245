import { check } from '../../../src/console/schema-form/check/check.ts'
import { itemSchema } from '../../../src/console/schema-form/check/lists.ts'
import { equals } from '../../../src/console/schema-form/check/scalars.ts'
import { alternativeOf, choose, withoutChoice } from '../../../src/console/schema-form/model/alternatives.ts'
import { describeField, type Field, fits } from '../../../src/console/schema-form/model/field.ts'
import { initialState } from '../../../src/console/schema-form/model/initial.ts'
import { parseJson, parseNumber, printJson } from '../../../src/console/schema-form/model/json-text.ts'
import { membersOf } from '../../../src/console/schema-form/model/members.ts'
import { SchemaDocument } from '../../../src/console/schema-form/model/schema-document.ts'
import {
  Chosen,
  memberOf,
  type State,
  toJson,
  withItem,
  withMember,
} from '../../../src/console/schema-form/model/state.ts'
import { createSampler } from '../../../src/instance/samples/create-sampler.ts'
import { compileSchema, type JsonSchema } from '../../../src/shared/json/json-schema.ts'
import { describeViolation } from '../../../src/shared/json/violations.ts'

/** Fills a form like a user who wants to send `target`: picks alternatives and options, types text, adds items and entries. */
export function fill(schema: unknown, target: unknown, document: SchemaDocument): State {
  return fillField(schema, initialState(schema, document), target, document)
}

function fillField(schema: unknown, state: State, target: unknown, document: SchemaDocument): State {
  const field = describeField(schema, target as State, document)
  if (!fits(field, target as State)) return parseJson(JSON.stringify(target))
  switch (field.kind) {
    case 'choice':
      return field.options.find(({ value }) => equals(value, target))!.value as State
    case 'alternatives':
      return fillAlternative(field, state, target, document)
    case 'number':
      return parseNumber(String(target))
    case 'list':
      return fillItems(field, target as unknown[], document)
    case 'object':
      return fillMembers(field, state, target as object, document)
    case 'raw':
    case 'none':
      return parseJson(JSON.stringify(target))
    default:
      return target as State
  }
}

function fillAlternative(
  field: Field & { kind: 'alternatives' },
  state: State,
  target: unknown,
  document: SchemaDocument,
): State {
  const index = alternativeOf(field, target as State, document)
  const { schema } = field.alternatives[index]!
  const picked = choose(field, index, state, initialState(schema, document), document)
  const inner = withoutChoice(picked, field.keyword)
  return new Chosen(field.keyword, index, fillField(schema, inner, target, document))
}

function fillItems({ schema }: Field, target: unknown[], document: SchemaDocument): State {
  let state: State = []
  for (const [index, item] of target.entries()) {
    const part = itemSchema(schema, index) ?? true
    state = withItem(state, index, fillField(part, initialState(part, document), item, document))
  }
  return state
}

function fillMembers({ schema }: Field, state: State, target: object, document: SchemaDocument): State {
  let filled: State = {}
  for (const name of Object.keys(target)) filled = withMember(filled, name, memberOf(state, name))
  for (const { name, schema: part } of membersOf(schema, target as State)) {
    const value = memberOf(target as State, name)
    const next = value === undefined ? undefined : fillField(part, memberOf(filled, name), value, document)
    filled = withMember(filled, name, next)
  }
  return filled
}

/** Prints a state as the raw JSON view does, and parses the text again. */
export function throughText(state: State): State {
  return parseJson(printJson(state))
}

/** Arguments that the form produces for a tool when it is filled with a sample of the schema. */
export function sampleArguments(schema: JsonSchema): unknown {
  return toJson(fill(schema, createSampler(schema)({}), new SchemaDocument(schema)))
}

/**
 * Fills the form of a tool with sample arguments. Returns the problem: the form made other or invalid arguments, reports them,
 * or does not report wrong ones. Undefined when there is none.
 */
export function formFault(schema: JsonSchema): string | undefined {
  const document = new SchemaDocument(schema)
  const target = createSampler(schema)({})
  const state = fill(schema, target, document)
  const made = toJson(state)
  if (!equals(made, target)) return `made ${JSON.stringify(made)} for ${JSON.stringify(target)}`
  const validate = compileSchema(schema)
  if (!validate(made)) return `made invalid arguments: ${describeViolation(validate.errors)}`
  const problems = check(schema, state, document)
  if (problems.length > 0) return `reports valid arguments: ${problems[0]!.message}`
  const wrong = wrongArguments(schema, target as Record<string, unknown>)
  const missed = wrong.find(value => !validate(value) && check(schema, value as State, document).length === 0)
  return missed && `does not report ${JSON.stringify(missed)}`
}

/** Arguments with one member missing or of another type. */
function wrongArguments({ properties }: JsonSchema, target: Record<string, unknown>): object[] {
  const names = Object.keys((properties as object | undefined) ?? {})
  return names.flatMap(name => {
    const { [name]: _left, ...others } = target
    return [others, ...[7.5, 'text', null, [], {}].map(value => ({ ...others, [name]: value }))]
  })
}
