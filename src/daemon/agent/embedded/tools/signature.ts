import { conceptsOf } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { dimensionOf, type Role, rolesOf, SOURCE_STEMS, TARGET_STEMS } from '../lexicon/roles.ts'
import { identifierWords, stem } from '../text/stem.ts'
import { type Token, tokenize } from '../text/tokens.ts'
import { type Unit, unitOf } from '../text/units.ts'
import { type Choice, choicesOf, statedDefault, suggestionsOf } from './choices.ts'
import { resolveSchema, type Schema, typeOf, type ValueType } from './schema.ts'

/** A parameter of a tool, with everything that its schema and description say about its values. */
export interface Parameter {
  name: string
  description: string
  type: ValueType
  required: boolean
  schema: Schema
  nameStems: string[]
  descriptionStems: string[]
  /** The only values allowed. */
  choices?: Choice[]
  /** Values that the description names as examples. */
  suggestions: Choice[]
  default?: unknown
  roles: ReadonlySet<Role>
  /** The name itself says so, not the description alone. */
  namedRoles: ReadonlySet<Role>
  unit?: Unit
  dimension?: string
  /** Which end of a movement or a range it is. */
  side?: 'source' | 'target'
  items?: Parameter
  properties?: Parameter[]
}

export interface Tool {
  name: string
  /** Taken from its rank: what is only asked for when nothing else fits as well. */
  handicap?: number
  description?: string
  inputSchema: Schema
}

/** A tool, prepared for ranking and binding. */
export interface Signature {
  name: string
  handicap: number
  description: string
  nameStems: string[]
  descriptionStems: string[]
  parameters: Parameter[]
  /** Stems of the name, the description and the parameters. */
  vocabulary: ReadonlySet<string>
  /** The groups of related words that these belong to. */
  concepts: ReadonlySet<number>
}

const bySchema = new WeakMap<object, Signature>()
const byText = new Map<string, Signature>()
const MAXIMUM_KEPT = 1000

/** Reads a tool once: found again by its schema object, or, when that was made anew, by its text. */
export function signatureOf(tool: Tool): Signature {
  const known = bySchema.get(tool.inputSchema)
  if (known && known.name === tool.name && known.description === (tool.description ?? '')) return known
  const text = JSON.stringify([tool.name, tool.description, tool.handicap, tool.inputSchema])
  const signature = byText.get(text) ?? readTool(tool)
  if (byText.size >= MAXIMUM_KEPT) byText.clear()
  byText.set(text, signature)
  bySchema.set(tool.inputSchema, signature)
  return signature
}

function readTool(tool: Tool): Signature {
  const description = tool.description ?? ''
  const nameStems = unique(identifierWords(tool.name).map(stem))
  const descriptionStems = unique(contentStems(firstSentences(description)))
  const parameters = readParameters(tool.inputSchema, tool.inputSchema, 0)
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

/** What a tool is for stands at the start; long descriptions go on with rules and warnings. */
function firstSentences(description: string): string {
  return description.length <= 400 ? description : description.slice(0, 400)
}

function readParameters(schema: Schema, root: Schema, depth: number): Parameter[] {
  if (depth > 4) return []
  const resolved = resolveSchema(schema, root)
  const required = new Set(resolved.required ?? [])
  return Object.entries(resolved.properties ?? {}).map(([name, part]) =>
    readParameter(name, resolveSchema(part, root), required.has(name), root, depth),
  )
}

function readParameter(
  name: string,
  schema: Schema,
  required: boolean,
  root: Schema,
  depth: number,
): Parameter {
  const description = [schema.title, schema.description].filter(Boolean).join('. ')
  const nameStems = identifierWords(name).map(stem)
  const type = typeOf(schema)
  const descriptionStems = contentStems(withoutDefault(description))
  const choices = choicesOf(schema, description)
  const namedRoles = rolesByName(nameStems, schema, description)
  const items = Array.isArray(schema.items) ? schema.items[0] : schema.items
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
    roles: new Set([...namedRoles, ...headRoles(description), ...countRole(name, description)]),
    namedRoles,
    ...measureOf(name, description, nameStems, descriptionStems),
    side: sideOf(nameStems, descriptionStems),
    ...(type === 'array' && {
      items: readParameter(
        name,
        { description, ...resolveSchema(items ?? {}, root) },
        required,
        root,
        depth + 1,
      ),
    }),
    ...(type === 'object' && { properties: readParameters(schema, root, depth + 1) }),
  }
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

/** The roles of the first nouns of a description: "The city to search in" asks for a place. */
function headRoles(description: string): Role[] {
  const words = tokenize(description.slice(0, 120)).filter(
    token => token.kind === 'word' && token.sentence === 0,
  )
  const head: string[] = []
  for (const word of words) {
    if (head.length > 0 && HEAD_ENDS.has(word.lower)) break
    if (!FUNCTION_WORDS.has(word.lower) && !GENERIC_WORDS.has(word.lower)) head.push(...word.stems)
  }
  return head.slice(0, 3).flatMap(rolesOf)
}

/** What the name asks for, and the format. A name that only tells the direction ("from") leaves it to the description. */
function rolesByName(nameStems: string[], { format }: Schema, description: string): Set<Role> {
  const roles = new Set(nameStems.flatMap(rolesOf))
  if (format === 'email') roles.add('email')
  if (format === 'uri' || format === 'url') roles.add('url')
  const bare = nameStems.every(part => SOURCE_STEMS.has(part) || TARGET_STEMS.has(part))
  if (bare) for (const role of headRoles(description)) roles.add(role)
  return roles
}

/** "Number of results to return" */
function countRole(name: string, description: string): Role[] {
  return /\b(?:number|count|quantity) of\b/i.test(description.slice(0, 60)) ||
    ['n', 'k', 'num', 'number'].includes(name)
    ? ['count']
    : []
}

const HEAD_ENDS = new Set([
  'for',
  'to',
  'in',
  'from',
  'where',
  'which',
  'that',
  'with',
  'on',
  'whose',
  'by',
  'related',
  'who',
])

function measureOf(
  name: string,
  description: string,
  nameStems: string[],
  descriptionStems: string[],
): { unit?: Unit; dimension?: string } {
  const unit = unitInName(name) ?? unitInDescription(withoutDefault(description))
  const byName = nameStems.map(dimensionOf).filter(dimension => dimension !== undefined)
  const dimension =
    unit?.dimension ?? byName.at(-1) ?? descriptionStems.slice(0, 6).map(dimensionOf).find(Boolean)
  return { ...(unit && { unit }), ...(dimension && { dimension }) }
}

/** "height_m", "temp_celsius", "years", "distance_in_light_years" */
function unitInName(name: string): Unit | undefined {
  const words = identifierWords(name)
  if (words.at(-2) === 'per') return undefined
  const pair = unitOf(words.slice(-2).join('-'))
  const last = words.at(-1) ?? ''
  return pair ?? (words.length === 1 && last.length < 3 ? undefined : unitOf(last))
}

/** "in meters", "(kg)", "in degrees Celsius", "time in years". What follows "in" is surer than what stands in parentheses. */
function unitInDescription(description: string): Unit | undefined {
  const tokens = tokenize(description)
  const after = (openers: string[], shortest: number) => {
    for (let at = 0; at < tokens.length; at++) {
      if (!openers.includes(tokens[at]!.lower)) continue
      for (let length = 5; length >= 1; length--) {
        const spelled = spellTokens(tokens.slice(at + 1, at + 1 + length))
        const unit =
          spelled.length < shortest
            ? undefined
            : (unitOf(spelled) ?? unitOf(COMPOUND[spelled.toLowerCase()] ?? ''))
        if (unit) return unit
      }
    }
    return undefined
  }
  return after(['in', ','], 1) ?? after(['('], 2)
}

function spellTokens(tokens: Token[]): string {
  return tokens.map((token, i) => (i > 0 && !token.glued ? ` ${token.text}` : token.text)).join('')
}

const COMPOUND: Record<string, string> = {
  'square feet': 'sqft',
  'square meters': 'sqm',
  'cubic meters': 'm^3',
  'degrees celsius': 'celsius',
  'degree celsius': 'celsius',
  'degrees fahrenheit': 'fahrenheit',
  'light years': 'light-year',
  'meters per second': 'm/s',
}

function sideOf(nameStems: string[], descriptionStems: string[]): Parameter['side'] {
  for (const stems of [nameStems, descriptionStems.slice(0, 4)]) {
    const source = stems.some(part => SOURCE_STEMS.has(part))
    const target = stems.some(part => TARGET_STEMS.has(part))
    if (source !== target) return source ? 'source' : 'target'
  }
  return undefined
}
