import type { Mention } from './mention.ts'
import { tokenAt } from './mention.ts'
import type { Token } from './tokens.ts'

const CLOSING: Record<string, string> = { '[': ']', '{': '}', '(': ')' }
const MAX_DEPTH = 16

/**
 * Arrays, objects and tuples in the message: `[1, 2]`, `{'a': 1}`, `(40.7, -74)`. Accepts JSON with single quotes, bare words
 * and trailing commas.
 */
export function findLiterals(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  let at = 0
  while (at < text.length) {
    const parsed = CLOSING[text[at]!] ? parseLiteral(text, at) : undefined
    if (!parsed || !isLiteral(text[at]!, parsed.value)) {
      at++
      continue
    }
    const from = tokenAt(tokens, at)
    const to = tokenAt(tokens, parsed.end)
    found.push({ kind: 'literal', from, to, text: text.slice(at, parsed.end), value: parsed.value })
    at = parsed.end
  }
  return found
}

/** Parentheses usually contain remarks, so only tuples of numbers count. */
function isLiteral(opening: string, value: unknown): boolean {
  if (opening !== '(') return true
  return Array.isArray(value) && value.length > 1 && value.every(part => typeof part === 'number')
}

interface ParsedLiteral {
  value: unknown
  end: number
}

/** Longer text in brackets is prose. Also limits the work for unclosed brackets. */
const MAX_LENGTH = 4000

function parseLiteral(text: string, start: number): ParsedLiteral | undefined {
  const end = Math.min(text.length, start + MAX_LENGTH)
  const closing = text.indexOf(CLOSING[text[start]!]!, start)
  if (closing < 0 || closing >= end) return undefined
  const reader = { text: text.slice(0, end), at: start }
  const value = readValue(reader, 0)
  return value === undefined ? undefined : { value, end: reader.at }
}

interface Reader {
  text: string
  at: number
}

function readValue(reader: Reader, depth: number): unknown {
  skipSpace(reader)
  const letter = reader.text[reader.at]
  if (letter === undefined || depth > MAX_DEPTH) return undefined
  if (letter === '[' || letter === '(') return readArray(reader, CLOSING[letter]!, depth)
  if (letter === '{') return readObject(reader, depth)
  if (letter === '"' || letter === "'") return readQuoted(reader, letter)
  return readBare(reader)
}

function readArray(reader: Reader, closing: string, depth: number): unknown[] | undefined {
  reader.at++
  const values: unknown[] = []
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] === closing) {
      reader.at++
      return values
    }
    const value = readValue(reader, depth + 1)
    if (value === undefined) return undefined
    values.push(value)
    skipSpace(reader)
    if (reader.text[reader.at] === ',') reader.at++
    else if (reader.text[reader.at] !== closing) return undefined
  }
}

function readObject(reader: Reader, depth: number): Record<string, unknown> | undefined {
  reader.at++
  const entries: [string, unknown][] = []
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] === '}') {
      reader.at++
      return Object.fromEntries(entries)
    }
    const key = readValue(reader, depth + 1)
    skipSpace(reader)
    if (key === undefined || typeof key === 'object' || reader.text[reader.at] !== ':') return undefined
    reader.at++
    const value = readValue(reader, depth + 1)
    if (value === undefined) return undefined
    entries.push([String(key), value])
    skipSpace(reader)
    if (reader.text[reader.at] === ',') reader.at++
    else if (reader.text[reader.at] !== '}') return undefined
  }
}

function readQuoted(reader: Reader, quote: string): string | undefined {
  const closing = reader.text.indexOf(quote, reader.at + 1)
  if (closing < 0 || closing - reader.at > 1000) return undefined
  const value = reader.text.slice(reader.at + 1, closing)
  reader.at = closing + 1
  return value
}

const WORDS: Record<string, unknown> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}

/** A number or a bare word, up to the next delimiter. */
function readBare(reader: Reader): unknown {
  const start = reader.at
  while (reader.at < reader.text.length && !',:[]{}()\n"'.includes(reader.text[reader.at]!)) {
    if (reader.at - start > 80) return undefined
    reader.at++
  }
  const word = reader.text.slice(start, reader.at).trim()
  if (word === '') return undefined
  if (word in WORDS) return WORDS[word]
  const number = Number(word.replace(/[°$€£%]/g, ''))
  return Number.isNaN(number) ? word : number
}

function skipSpace(reader: Reader): void {
  while (reader.at < reader.text.length && ' \n\t\r'.includes(reader.text[reader.at]!)) reader.at++
}
