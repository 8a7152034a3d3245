import { conceptsOf } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import type { Role } from '../lexicon/roles.ts'
import { identifierWords, stem } from '../text/stem.ts'
import { tokenize } from '../text/tokens.ts'
import type { Unit } from '../text/units.ts'
import { type Choice, choicesOf, statedDefault, suggestionsOf } from './choices.ts'
import { measureOf } from './measure.ts'
import { rolesByDescription, rolesByName, sideOf } from './parameter-roles.ts'
import { resolveSchema, type Schema, typeOf, type ValueType } from './schema.ts'

/** A parameter of a tool, with all information from its schema and description. */
export interface Parameter {
  name: string
  description: string
  type: ValueType
  required: boolean
  schema: Schema
  nameStems: string[]
  descriptionStems: string[]
  /** Allowed values. */
  choices?: Choice[]
  /** Examples from the schema and the description. */
  suggestions: Choice[]
  default?: unknown
  roles: ReadonlySet<Role>
  /** Roles from the name, not from the description. */
  namedRoles: ReadonlySet<Role>
  unit?: Unit
  dimension?: string
  /** End of a movement or a range. */
  side?: 'source' | 'target'
  items?: Parameter
  properties?: Parameter[]
}

export interface Tool {
  name: string
  /** Subtracted from the tool's score. */
  handicap?: number
  description?: string
  inputSchema: Schema
}

/** A tool prepared for ranking and binding. */
export interface Signature {
  name: string
  handicap: number
  description: string
  nameStems: string[]
  descriptionStems: string[]
  parameters: Parameter[]
  /** Stems of the name, the description and the parameter names. */
  vocabulary: ReadonlySet<string>
  /** Groups of related words that the vocabulary belongs to. */
  concepts: ReadonlySet<number>
}

const bySchema = new WeakMap<object, Signature>()
const byText = new Map<string, Signature>()
const MAX_CACHED = 1000

/** Reads a tool. Cached by schema object, and by the tool's JSON for schemas that are parsed again. */
export function signatureOf(tool: Tool): Signature {
  const known = bySchema.get(tool.inputSchema)
  if (known && known.name === tool.name && known.description === (tool.description ?? '')) return known
  const text = JSON.stringify([tool.name, tool.description, tool.handicap, tool.inputSchema])
  const signature = byText.get(text) ?? readTool(tool)
  if (byText.size >= MAX_CACHED) byText.clear()
  byText.set(text, signature)
  bySchema.set(tool.inputSchema, signature)
  return signature
}

function readTool(tool: Tool): Signature {
  const description = tool.description ?? ''
  const nameStems = unique(identifierWords(tool.name).map(stem))
  const descriptionStems = unique(contentStems(startOf(description)))
  const parameters = readParameters(tool.inputSchema, { root: tool.inputSchema, left: MAX_PARAMETERS }, 0)
  const vocabulary = new Set([...nameStems, ...descriptionStems, ...parameters.flatMap(p => p.nameStems)])
  const concepts = new Set([...vocabulary].flatMap(conceptsOf))
  return {
    name: tool.name,
    handicap: tool.handicap ?? 0,
    description,
    nameStems,
    descriptionStems,
    parameters,
    vocabulary,
    concepts,
  }
}

function unique(stems: string[]): string[] {
  return [...new Set(stems)]
}

/** The start of the description. Long ones start with the purpose and continue with rules and warnings. */
function startOf(description: string): string {
  return description.length <= 400 ? description : description.slice(0, 400)
}

/** Limits for large schemas and schemas that refer to themselves. Further parameters are ignored. */
const MAX_DEPTH = 4
const MAX_PARAMETERS = 300

interface ReadState {
  root: Schema
  left: number
}

function readParameters(schema: Schema, reading: ReadState, depth: number): Parameter[] {
  if (depth > MAX_DEPTH) return []
  const { root } = reading
  const resolved = resolveSchema(schema, root)
  const required = new Set(resolved.required ?? [])
  return Object.entries(resolved.properties ?? {}).flatMap(([name, part]) =>
    reading.left-- > 0
      ? [readParameter(name, resolveSchema(part, root), required.has(name), reading, depth)]
      : [],
  )
}

function readParameter(
  name: string,
  schema: Schema,
  required: boolean,
  reading: ReadState,
  depth: number,
): Parameter {
  const description = [schema.title, schema.description].filter(Boolean).join('. ')
  const nameStems = identifierWords(name).map(stem)
  const type = typeOf(schema)
  const descriptionStems = contentStems(withoutDefault(description))
  const choices = choicesOf(schema, description)
  const ownStems = beforePer(nameStems)
  const namedRoles = rolesByName(ownStems, schema, description)
  return {
    name,
    description,
    type,
    required,
    schema,
    nameStems,
    descriptionStems,
    ...(choices && { choices }),
    suggestions: choices || type === 'boolean' ? [] : suggestionsOf(schema, description),
    default: schema.default ?? statedDefault(description),
    roles: new Set([...namedRoles, ...rolesByDescription(name, description)]),
    namedRoles,
    ...measureOf(name, withoutDefault(description), ownStems, descriptionStems),
    side: sideOf(nameStems, descriptionStems),
    ...(type === 'array' &&
      depth < MAX_DEPTH && { items: readItems(name, schema, required, reading, depth) }),
    ...(type === 'object' && { properties: readParameters(schema, reading, depth + 1) }),
  }
}

/** Items have the name of their array, and its description if they have none. */
function readItems(
  name: string,
  schema: Schema,
  required: boolean,
  reading: ReadState,
  depth: number,
): Parameter {
  const items = Array.isArray(schema.items) ? schema.items[0] : schema.items
  const described = { description: schema.description, ...resolveSchema(items ?? {}, reading.root) }
  return readParameter(name, described, required, reading, depth + 1)
}

/** Drops stems from "per" on, because a payment per year is not a year. */
function beforePer(nameStems: string[]): string[] {
  const per = nameStems.indexOf('per')
  return per > 0 ? nameStems.slice(0, per) : nameStems
}

function withoutDefault(description: string): string {
  const at = description.search(/\b(?:defaults?|if not (?:specified|provided|given))\b/i)
  return at > 0 ? description.slice(0, at) : description
}

function contentStems(text: string): string[] {
  const stems: string[] = []
  for (const token of tokenize(text.slice(0, 600))) {
    if (token.kind !== 'word' || FUNCTION_WORDS.has(token.lower)) continue
    stems.push(...token.stems)
  }
  return stems
}
