import { type Choice, summaryOf, type TypedInput } from './choice.ts'

export type ArgumentSchema = {
  type?: string | string[]
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  items?: ArgumentSchema
  properties?: Record<string, ArgumentSchema>
  required?: string[]
  additionalProperties?: unknown
}

/** `city=` for each argument that is not given yet, or `city=Oslo` for each value of the argument being typed. */
export function argumentChoices(
  schema: ArgumentSchema,
  { typed }: TypedInput,
  words: readonly string[] = [],
): Choice[] {
  const { properties = {}, required = [] } = schema
  const [, begun, operator] = /^([^=]+?)(:?=)/.exec(typed) ?? []
  if (begun !== undefined)
    return valuesOf(properties[begun] ?? {}).map(value => ({ value: `${begun}${operator}${value}` }))
  const given = new Set(words.map(word => word.split(/:?=/, 1)[0]))
  return Object.entries(properties)
    .filter(([name]) => !given.has(name))
    .map(([name, one]) => ({ value: `${name}=`, doc: docOf(one, required.includes(name)) }))
}

/** Values that the schema or its items list, and `true` and `false` for a boolean. Empty if none are listed. */
export function valuesOf({ enum: listed, const: only, type, items }: ArgumentSchema): string[] {
  if (listed) return listed.map(toWord)
  if (only !== undefined) return [toWord(only)]
  if ([type].flat().includes('boolean')) return ['true', 'false']
  return [type].flat().includes('array') && items ? valuesOf(items) : []
}

function docOf(schema: ArgumentSchema, isRequired: boolean): string {
  return [isRequired && 'required', summaryOf(schema.description)].filter(Boolean).join(', ')
}

function toWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
