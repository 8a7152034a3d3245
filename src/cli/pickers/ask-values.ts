import { HostingError } from '../../shared/errors.ts'
import { type ArgumentSchema, valuesOf } from '../choices/argument-choices.ts'
import { summaryOf } from '../choices/choice.ts'
import { askText } from '../output/prompt.ts'
import { parseToolArguments } from '../testing/tool-arguments.ts'
import { pick } from './pick.ts'

/** Answer that omits an optional argument. */
const SKIP = '(omit)'

interface AskOptions {
  /** Arguments that have a value. */
  given?: ReadonlySet<string>
  /** Omits questions about optional arguments. */
  requiredOnly?: boolean
}

/** Asks for arguments one by one at a terminal. Returns `key=value` words for `parseToolArguments`. */
export async function askValues(
  schema: ArgumentSchema,
  { given = new Set(), requiredOnly }: AskOptions = {},
): Promise<string[]> {
  const words: string[] = []
  for (const name of orderOf(schema)) {
    const isRequired = schema.required?.includes(name) ?? false
    if (given.has(name) || (requiredOnly && !isRequired)) continue
    const word = await askValue(name, schema, isRequired)
    if (word !== undefined) words.push(word)
  }
  return words
}

/** Required arguments first. */
function orderOf({ properties = {}, required = [] }: ArgumentSchema): string[] {
  const names = Object.keys(properties)
  return [...names.filter(name => required.includes(name)), ...names.filter(name => !required.includes(name))]
}

async function askValue(
  name: string,
  schema: ArgumentSchema,
  isRequired: boolean,
): Promise<string | undefined> {
  const own = schema.properties?.[name] ?? {}
  const message = messageOf(name, own, isRequired)
  const listed = [own.type].flat().includes('array') ? [] : valuesOf(own)
  const preset = own.default === undefined ? undefined : toText(own.default)
  if (listed.length > 0) {
    const choices = listed.map(value => ({ value, doc: value === preset ? 'default' : undefined }))
    const value = await pick(message, isRequired ? choices : [...choices, { value: SKIP }], preset)
    return value === SKIP ? undefined : `${name}=${value}`
  }
  const text = await askText(message, {
    default: preset,
    validate: text => problemOf(name, text, schema, isRequired),
  })
  return text === '' && !isRequired ? undefined : `${name}=${text}`
}

/** `city (required): Name of the city` */
function messageOf(name: string, { type, description }: ArgumentSchema, isRequired: boolean): string {
  const kind = [type].flat().filter(one => one !== undefined && one !== 'string' && one !== 'boolean')
  const facts = [...kind, isRequired ? 'required' : 'optional'].join(', ')
  const doc = summaryOf(description)
  return `${name} (${facts})${doc ? `: ${doc}` : ''}`
}

/** Problem with an answer. Undefined when it fits the schema. */
function problemOf(name: string, text: string, schema: object, isRequired: boolean): string | undefined {
  if (text === '') return isRequired ? 'Enter a value.' : undefined
  try {
    parseToolArguments([`${name}=${text}`], schema as Record<string, unknown>)
    return undefined
  } catch (error) {
    if (error instanceof HostingError) return error.message
    throw error
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
