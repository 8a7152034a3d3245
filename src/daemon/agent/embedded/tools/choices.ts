import { identifierWords, stem } from '../text/stem.ts'
import type { Schema } from './schema.ts'

/** A value from a schema or its description, with the stems that refer to it. */
export interface Choice {
  value: unknown
  stems: string[]
  /** Stems of the value's meaning in the description: 'c' for Celsius. */
  alias?: string[]
}

/** The values of an enumeration. */
export function choicesOf(schema: Schema, description: string): Choice[] | undefined {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (!values || values.length === 0) return undefined
  return values.map(value => toChoice(value, description))
}

function toChoice(value: unknown, description: string): Choice {
  const alias = typeof value === 'string' ? aliasOf(value, description) : undefined
  return { value, stems: identifierWords(String(value)).map(stem), ...(alias && { alias }) }
}

/** Stems of a value's meaning: "'c' for Celsius", "'EV' refers to an electric vehicle", "'12h': twelve hours". */
function aliasOf(value: string, description: string): string[] | undefined {
  for (const quote of ["'", '"', '`']) {
    const at = description.indexOf(quote + value + quote)
    if (at < 0) continue
    const rest = description.slice(at + value.length + 2, at + value.length + 60)
    const match = /^\s*(?:for|refers to|means|=|:|is for|is)\s+(?:an?\s|the\s)?([\w -]{2,40})/.exec(rest)
    if (match)
      return identifierWords(match[1]!.split(/\b(?:and|or)\b/)[0]!)
        .slice(0, 3)
        .map(stem)
  }
  return undefined
}

/** Examples from the schema, and quoted or listed values from the description. */
export function suggestionsOf(schema: Schema, description: string): Choice[] {
  const examples = (schema.examples ?? []).filter(value => typeof value === 'string')
  const values = new Set<string>([
    ...(examples as string[]),
    ...quotedIn(description),
    ...listedIn(description),
  ])
  return [...values].slice(0, 24).map(value => toChoice(value, description))
}

function quotedIn(description: string): string[] {
  const found: string[] = []
  for (const match of description
    .slice(0, 800)
    .matchAll(/(?<![\p{L}\d])(['"`])([^'"`\n]{1,40})\1(?![\p{L}\d])/gu))
    found.push(match[2]!)
  return found
}

const LIST_OPENERS = [
  'e.g.',
  'e.g',
  'eg:',
  'eg.',
  'such as',
  'for example',
  'i.e.',
  'options:',
  'options are',
  'one of',
  'can be',
  'include',
  'like ',
  'either',
  '(',
]

/** Listed examples: "e.g. Painting, Sculpture", "(walk, bike, transit, drive)". */
function listedIn(description: string): string[] {
  const lower = description.toLowerCase()
  const found: string[] = []
  for (const opener of LIST_OPENERS) {
    const at = lower.indexOf(opener)
    if (at < 0) continue
    const rest = description.slice(at + opener.length, at + opener.length + 160)
    const end = rest.search(/[.;)(]|\bdefault/i)
    const part = end < 0 ? rest : rest.slice(0, end)
    if (part.includes("'") || part.includes('"') || (opener === '(' && !part.includes(','))) continue
    for (const item of part.split(/,|\bor\b|\band\b/)) {
      const value = item.replace(/\betc\b/, '').replace(/^[\s:]+|\s+$/g, '')
      if (value.length > 1 && value.split(' ').length <= 3) found.push(value)
    }
  }
  return found
}

/** A default in the description: "Default is 'metric'", "defaults to 5". */
export function statedDefault(description: string): unknown {
  const match =
    /\bdefault(?:s|ed)?(?:\s+value)?(?:\s+(?:is|to|as))*\s*:?\s*(['"`]?)([^'"`.,;)\n]{1,40})\1/i.exec(
      description,
    )
  if (!match) return undefined
  const text = match[2]!.trim()
  if (match[1]) return text
  const number = Number(text)
  if (!Number.isNaN(number)) return number
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return undefined
}
