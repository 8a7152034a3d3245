import { pointerSteps } from '../../../shared/json/json-walk.ts'
import { itemSchema } from '../check/lists.ts'
import { childPointer, schemasIn } from '../check/visit.ts'
import { alternativeOf, withoutChoice } from './alternatives.ts'
import { describeField } from './field.ts'
import type { Notes } from './hints.ts'
import { entryOf } from './members.ts'
import type { SchemaDocument } from './schema-document.ts'
import { asList, memberOf, type State } from './state.ts'

/** Errors from a server about invalid arguments. */
export interface ServerErrors {
  /** Keyed by the JSON pointer of the field that the server names. */
  placed: Notes
  /** The whole message, if it names no known field. */
  general?: string
}

const MAX_SCANNED = 20_000
const MAX_PLACED = 50
const MAX_STEPS = 32
const MAX_NESTING = 8
/** Maximum number of names in a message that are looked up. */
const MAX_NAMES = 30

interface Finding {
  steps: string[]
  text: string
}

/**
 * Finds the fields that a server's message is about. The format depends on the server's validator: zod lists issues as JSON, Ajv
 * writes JSON pointers, pydantic writes one line per field, and others put names in quotes.
 */
export function placeErrors(message: string, state: State, document: SchemaDocument): ServerErrors {
  const text = message.slice(0, MAX_SCANNED)
  const isKnown = (steps: string[]) => steps.length > 0 && isField(steps, state, document)
  for (const find of [jsonIssues, lineIssues, segmentIssues]) {
    const found = find(text, isKnown).filter(({ steps }) => isKnown(steps))
    if (found.length > 0) return { placed: byPointer(found.slice(0, MAX_PLACED)) }
  }
  return { placed: new Map(), general: message }
}

function byPointer(findings: Finding[]): Notes {
  const notes = new Map<string, string[]>()
  for (const { steps, text } of findings) {
    const pointer = steps.reduce(childPointer, '')
    notes.set(pointer, [...(notes.get(pointer) ?? []), text.trim()])
  }
  return notes
}

/** zod: `[{"code":"invalid_type","path":["a",0],"message":"…"}]`, anywhere in the text. */
function jsonIssues(text: string): Finding[] {
  const json = text.slice(text.indexOf('['), text.lastIndexOf(']') + 1)
  try {
    const issues = JSON.parse(json) as { path?: unknown; message?: unknown }[]
    return issues
      .filter(issue => Array.isArray(issue?.path) && typeof issue.message === 'string')
      .map(({ path, message }) => ({ steps: (path as unknown[]).map(String), text: String(message) }))
  } catch {
    return []
  }
}

/** pydantic: a line with the path, then indented lines about it. */
function lineIssues(text: string): Finding[] {
  const matches = text.matchAll(/^([\w$.[\]-]{1,200})\n((?:[ \t]+\S.*\n?)+)/gm)
  return [...matches].map(([, path, words]) => ({ steps: dottedSteps(path!), text: words! }))
}

/** Ajv and others: each part names its field as a pointer, after a word such as "field", or in quotes. */
function segmentIssues(text: string, isKnown: (steps: string[]) => boolean): Finding[] {
  const segments = text.split(/[,;\n]\s*(?=(?:data|instance|body|arguments)?\/[^\s/])/)
  return segments.flatMap(segment => {
    const steps = namedSteps(segment, isKnown)
    return steps ? [{ steps, text: segments.length > 1 ? segment : text }] : []
  })
}

function namedSteps(text: string, isKnown: (steps: string[]) => boolean): string[] | undefined {
  const pointers = [...text.matchAll(/(?:^|[\s"'`(:]|data|instance|body|arguments)((?:\/[^\s"'`,:;()/]+)+)/g)]
  const words = [
    ...text.matchAll(/\b(?:field|property|parameter|param|argument|key)s?:?\s+["'`]?([\w$.[\]-]+)/gi),
  ]
  const quoted = [...text.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)]
  const names = [...words, ...quoted].slice(0, MAX_NAMES).map(([, name]) => dottedSteps(name!))
  for (const parent of pointers.slice(0, MAX_NAMES).map(([, pointer]) => pointerSteps(pointer!))) {
    const child = names.map(steps => [...parent, ...steps]).find(isKnown)
    if (child || isKnown(parent)) return child ?? parent
  }
  return names.find(isKnown)
}

/** `a.b[0]` → `a`, `b`, `0` */
function dottedSteps(path: string): string[] {
  return path
    .replace(/\[(\w+)\]/g, '.$1')
    .split('.')
    .filter(step => step !== '')
}

function isField(steps: string[], state: State, document: SchemaDocument): boolean {
  if (steps.length > MAX_STEPS) return false
  let place: { schema: unknown; state: State } | undefined = { schema: document.root, state }
  for (const step of steps) {
    place = place && child(place.schema, place.state, step, document)
  }
  return place !== undefined
}

function child(schema: unknown, state: State, step: string, document: SchemaDocument) {
  const { field, state: inner } = shownField(schema, state, document)
  if (field.kind === 'list') {
    const isIndex = /^\d{1,6}$/.test(step) && Number(step) < (asList(inner)?.length ?? 0)
    return isIndex ? { schema: itemSchema(field.schema, +step), state: asList(inner)![+step] } : undefined
  }
  const isDeclared = Object.hasOwn(schemasIn(field.schema.properties), step)
  const member = isDeclared || memberOf(inner, step) !== undefined ? entryOf(field.schema, step) : undefined
  return member && { schema: member.schema, state: memberOf(inner, step) }
}

/** The field inside the alternatives that the value has or the user picked. */
function shownField(schema: unknown, state: State, document: SchemaDocument) {
  let [field, inner] = [describeField(schema, state, document), state]
  for (let nesting = 0; field.kind === 'alternatives' && nesting < MAX_NESTING; nesting++) {
    const { schema: picked } = field.alternatives[alternativeOf(field, inner, document)]!
    inner = withoutChoice(inner, field.keyword)
    field = describeField(picked, inner, document)
  }
  return { field, state: inner }
}
