import { check } from '../check/check.ts'
import { flatten, LIGHT_WEIGHT, omit } from './flatten.ts'
import { describesValue, typesOf } from './options.ts'
import { isSchemaObject, type SchemaDocument, type SchemaObject } from './schema-document.ts'
import { type Alternatives, asObject, Chosen, kindOf, plain, type State, type StateObject } from './state.ts'

export interface Alternative {
  label: string
  schema: unknown
}

interface Offered {
  keyword: Alternatives
  alternatives: Alternative[]
}

const MAX_ALTERNATIVES = 200
/** Maximum number of steps of the checks that find the alternative for a value. */
const MAX_STEPS = 5000

/** Alternatives that a user picks from: `oneOf`, otherwise `anyOf`, otherwise several types. */
export function alternativesOf(schema: SchemaObject, document: SchemaDocument): Offered | undefined {
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = schema[keyword]
    if (!Array.isArray(branches) || branches.length > MAX_ALTERNATIVES) continue
    if (branches.some(describesValue)) return branchesOf(keyword, branches, schema, document)
  }
  const types = typesOf(schema)
  if (types.length < 2) return undefined
  const alternatives = types.map(type => ({ label: TYPE_LABELS[type] ?? type, schema: { ...schema, type } }))
  return { keyword: 'type', alternatives }
}

const TYPE_LABELS: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'list',
  boolean: 'true or false',
}

function branchesOf(
  keyword: 'oneOf' | 'anyOf',
  branches: unknown[],
  schema: SchemaObject,
  document: SchemaDocument,
): Offered {
  const base = omit(schema, [keyword, 'title', 'description', 'default', 'examples'])
  const isPlain = Object.keys(base).length === 0
  const alternatives = branches.map((branch, index) => ({
    label: labelOf(branch, document) ?? `Option ${index + 1}`,
    schema: isPlain ? branch : { allOf: [branch, base] },
  }))
  return { keyword, alternatives: distinguish(alternatives) }
}

/** Title, or otherwise the name of the definition, a fixed member or the type. */
function labelOf(branch: unknown, document: SchemaDocument): string | undefined {
  const flat = flatten(branch, undefined, document, LIGHT_WEIGHT)
  if (!flat) return undefined
  if (typeof flat.title === 'string' && flat.title !== '') return flat.title.slice(0, 120)
  const reference = isSchemaObject(branch) && typeof branch.$ref === 'string' ? branch.$ref : ''
  const name = reference.split('/').at(-1)
  if (reference !== name && name) return name.slice(0, 120)
  return (
    fixedMember(flat) ??
    (typesOf(flat)
      .map(type => TYPE_LABELS[type] ?? type)
      .join(' or ') ||
      undefined)
  )
}

function fixedMember({ properties }: SchemaObject): string | undefined {
  const entries = Object.entries(isSchemaObject(properties) ? properties : {}).slice(0, 50)
  const fixed = entries.find(([, member]) => isSchemaObject(member) && typeof member.const === 'string')
  return fixed && `${(fixed[1] as SchemaObject).const}`.slice(0, 120)
}

/** Numbers labels that occur twice. */
function distinguish(alternatives: Alternative[]): Alternative[] {
  const labels = alternatives.map(({ label }) => label)
  return alternatives.map(({ label, schema }, index) => {
    const isUnique = labels.indexOf(label) === labels.lastIndexOf(label)
    return { label: isUnique ? label : `${label} (${index + 1})`, schema }
  })
}

/**
 * Index of the alternative for a value: the picked one, otherwise the first that the value matches, otherwise the one with the
 * fewest problems.
 */
export function alternativeOf(
  { keyword, alternatives }: Offered,
  state: State,
  document: SchemaDocument,
): number {
  if (state instanceof Chosen && state.keyword === keyword && state.index < alternatives.length)
    return state.index
  if (plain(state) === undefined) return 0
  const steps = MAX_STEPS / alternatives.length
  let [best, fewest] = [0, Number.POSITIVE_INFINITY]
  for (const [index, { schema }] of alternatives.entries()) {
    const count = distance(schema, state, document, steps)
    if (count < fewest) [best, fewest] = [index, count]
    if (count === 0) break
  }
  return best
}

/** Number of violations when the state is checked against the schema. A wrong type counts most. */
function distance(schema: unknown, state: State, document: SchemaDocument, steps: number): number {
  const problems = check(schema, state, document, steps)
  const isWrongType = problems.some(({ keyword, pointer }) => keyword === 'type' && pointer === '')
  return problems.length + (isWrongType ? 1000 : 0)
}

/** Removes the user's choice from a state if the choice is between alternatives of this keyword. */
export function withoutChoice(state: State, keyword: Alternatives): State {
  return state instanceof Chosen && state.keyword === keyword ? state.state : state
}

/** Picks another alternative. Keeps the value if it is valid there, otherwise its valid members. */
export function choose(
  { keyword, alternatives }: Offered,
  index: number,
  state: State,
  start: State,
  document: SchemaDocument,
): Chosen {
  const schema = alternatives[index]?.schema
  const value = withoutChoice(state, keyword)
  const isValid = kindOf(value) !== 'absent' && check(schema, value, document).length === 0
  return new Chosen(keyword, index, isValid ? value : keepMembers(schema, value, start, document))
}

function keepMembers(schema: unknown, value: State, start: State, document: SchemaDocument): State {
  const [members, fresh] = [asObject(value), asObject(start)]
  if (!members || !fresh) return start
  const kept: StateObject = { ...fresh }
  const properties = asProperties(flatten(schema, start, document))
  for (const [name, member] of Object.entries(members)) {
    const isKnown = Object.hasOwn(properties, name) && !Object.hasOwn(fresh, name)
    if (isKnown && check(properties[name], member, document).length === 0)
      Object.assign(kept, { [name]: member })
  }
  return kept
}

function asProperties(schema: SchemaObject | false | undefined): SchemaObject {
  return schema && isSchemaObject(schema.properties) ? schema.properties : {}
}
