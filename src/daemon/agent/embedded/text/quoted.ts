import type { Mention } from './mention.ts'
import { tokenAt } from './mention.ts'
import { isDigit, isLetter } from './stem.ts'
import { isSpace, type Token } from './tokens.ts'

const CLOSING = new Map([
  ['"', '"'],
  ['“', '”'],
  ["'", "'"],
  ['‘', '’'],
  ['`', '`'],
  ['«', '»'],
])

/** Quoted text. Quotes open at the start of a word and close at the end of one, so apostrophes are not quotes. */
export function findQuoted(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  const closings = closingOffsets(text)
  let at = 0
  while (at < text.length) {
    const closing = opensQuote(text, at)
      ? nextClosing(closings.get(CLOSING.get(text[at]!)!) ?? [], at + 1)
      : -1
    if (closing < 0) {
      at++
      continue
    }
    const from = tokenAt(tokens, at)
    const to = tokenAt(tokens, closing + 1)
    const inner = text.slice(at + 1, closing)
    found.push({ kind: 'quoted', from, to, text: trimEndMarks(inner) })
    at = closing + 1
  }
  return found
}

/** Ascending offsets of possible closing marks, computed once to keep the search linear. */
function closingOffsets(text: string): Map<string, number[]> {
  const offsets = new Map<string, number[]>()
  for (const mark of new Set(CLOSING.values())) offsets.set(mark, [])
  for (let at = 1; at < text.length; at++) {
    const list = offsets.get(text[at]!)
    if (list && closesQuote(text, at)) list.push(at)
  }
  return offsets
}

function opensQuote(text: string, at: number): boolean {
  if (!CLOSING.has(text[at]!)) return false
  const before = text[at - 1] ?? ' '
  const after = text[at + 1] ?? ' '
  return (isSpace(before) || '([{=:,/'.includes(before)) && !isSpace(after)
}

function closesQuote(text: string, at: number): boolean {
  const after = text[at + 1] ?? ' '
  return !isSpace(text[at - 1]!) && !isLetter(after) && !isDigit(after)
}

function nextClosing(offsets: number[], from: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (offsets[middle]! <= from) low = middle + 1
    else high = middle
  }
  return offsets[low] ?? -1
}

/** Removes a comma at the end of the quoted text. */
function trimEndMarks(text: string): string {
  return text.endsWith(',') ? text.slice(0, -1) : text
}
