import type { Mention, MentionKind } from './mention.ts'
import { tokenAt } from './mention.ts'
import { isDigit, isLetter, isUpper } from './stem.ts'
import { isSpace, type Token } from './tokens.ts'
import { unitOf } from './units.ts'

/** Values without spaces: URLs, email addresses, paths, identifiers, formulas. */
export function findCodes(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  let at = 0
  while (at < text.length) {
    while (at < text.length && isSpace(text[at]!)) at++
    const start = at
    while (at < text.length && !isSpace(text[at]!)) at++
    const [from, to] = trimMarks(text, start, at)
    if (from < to && to - from < 2000) add(found, text, tokens, from, to)
  }
  return mergeExpressions(found, text, tokens)
}

function add(found: Mention[], text: string, tokens: Token[], start: number, end: number): void {
  const chunk = text.slice(start, end)
  const kind = kindOf(chunk)
  if (!kind) return
  const from = tokenAt(tokens, start)
  const to = tokenAt(tokens, end)
  if (from < to) found.push({ kind, from, to, text: chunk })
}

function trimMarks(text: string, start: number, end: number): [number, number] {
  let from = start
  let to = end
  while (from < to && '([{"\'“‘`<,;:!?'.includes(text[from]!)) from++
  while (to > from && ')]}"\'”’`>,;:!?.'.includes(text[to - 1]!)) {
    if (text[to - 1] === ')' && text.slice(from, to).includes('(')) break
    to--
  }
  return [from, to]
}

function kindOf(chunk: string): MentionKind | undefined {
  if (!Number.isNaN(Number(chunk))) return undefined
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\/\S/i.test(chunk) || /^www\./i.test(chunk)) return 'url'
  if (isEmail(chunk)) return 'email'
  if (isPath(chunk)) return 'path'
  if (isYearRange(chunk)) return 'code'
  if (/^[A-G](?:#|♯|♭)m?$/.test(chunk)) return 'code'
  if (/[/^°²³]/.test(chunk) && unitOf(chunk)) return 'unit'
  if (isExpression(chunk)) return 'expression'
  return isIdentifier(chunk) ? 'code' : undefined
}

function isEmail(chunk: string): boolean {
  const at = chunk.indexOf('@')
  return at > 0 && at === chunk.lastIndexOf('@') && chunk.indexOf('.', at) > at + 1
}

const EXTENSIONS = new Set(
  (
    'txt md json yaml yml csv tsv xml html htm css js ts jsx tsx mjs py rb go rs java c h cpp cs php sh sql toml ini cfg ' +
    'log pdf doc docx xls xlsx ppt pptx png jpg jpeg gif svg webp mp3 mp4 wav avi mov zip gz tar db sqlite lock env ipynb parquet'
  ).split(' '),
)

function isPath(chunk: string): boolean {
  if (/^(?:~|\.{1,2})?\/[\w.~@-]/.test(chunk) || /^[A-Za-z]:[\\/]/.test(chunk)) return true
  if (/^[A-Z.]+$/.test(chunk)) return false
  const dot = chunk.lastIndexOf('.')
  return dot > 0 && EXTENSIONS.has(chunk.slice(dot + 1).toLowerCase()) && /^[\w./@ -]+$/.test(chunk)
}

/** Text that may be one value or two numbers: "2019-2020", "2023/24", "800x600". */
export function mayBeTwoNumbers(text: string): boolean {
  return isYearRange(text) || /^\d{2,6}x\d{2,6}$/i.test(text)
}

/** True for a range of years: "2019-2020", "2023/24". */
export function isYearRange(text: string): boolean {
  return /^[12]\d{3}[-–/](?:\d{2}|[12]\d{3})$/.test(text)
}

/** "3x^2", "2*x+1", "x**2": letters, digits and at least one operator of algebra. */
function isExpression(chunk: string): boolean {
  if (isMeasure(chunk)) return false
  if (/^[a-z]{2,}[-/+]/i.test(chunk) && !/[\^*=]/.test(chunk)) return false
  if (/\/s|km\/|[a-z]{2}\^/i.test(chunk) && !/[x(]/.test(chunk)) return false
  return (
    /^[\w.+\-*/^()=,²³]+$/.test(chunk) &&
    /\d[a-z][\^*+²³]|[a-z]\^|\*|[a-z]\([a-z0-9]|\d[xyz](?:$|[+\-=])/i.test(chunk)
  )
}

/** True for a unit, with or without a number: "m^3", "0.01m²". */
function isMeasure(chunk: string): boolean {
  return unitOf(chunk.replace(/^[\d.,]+/, '')) !== undefined
}

/** True for letters with digits ("CA123456", "rs6034464") or inner underscores or slashes, and for long words in capitals. */
function isIdentifier(chunk: string): boolean {
  if (/^\d+[\p{L}°%²³µ]{1,5}$/u.test(chunk) || /^\d+(?:st|nd|rd|th)$/.test(chunk)) return false
  if (/^[$€£]/.test(chunk)) return false
  let digits = 0
  let letters = 0
  for (const letter of chunk) {
    if (isDigit(letter)) digits++
    else if (isLetter(letter)) letters++
    else if (!'_-/#.:@+'.includes(letter)) return false
  }
  if (digits > 0 && letters > 0)
    return !/^\d+-[a-z]+$/.test(chunk) && !/^\d[\d.,]*[a-z]+(?:\/[a-z]+)?$/i.test(chunk)
  if (letters > 2 && /^[A-Z]{2,}[A-Z-]*$/.test(chunk)) return chunk.length >= 8 && isUpper(chunk[0]!)
  if (isMeasure(chunk) || chunk.split('/').every(part => unitOf(part))) return false
  return (
    letters > 0 && (/\w_\w/.test(chunk) || (/^[\w-]+\/[\w.-]+$/.test(chunk) && !chunk.startsWith('and/')))
  )
}

/** Joins formulas with spaces around operators: "3x^2 + 2x - 1". */
function mergeExpressions(found: Mention[], text: string, tokens: Token[]): Mention[] {
  const merged: Mention[] = []
  for (const mention of found) {
    const last = merged.at(-1)
    if (mention.kind === 'expression') {
      const to = extendExpression(tokens, mention.to)
      if (last && last.to > mention.from) continue
      const end = tokens[to - 1]!.end
      merged.push({ ...mention, to, text: text.slice(tokens[mention.from]!.start, end) })
    } else if (!last || last.to <= mention.from) merged.push(mention)
  }
  return merged
}

const OPERATORS = new Set(['+', '-', '*', '/', '=', '^', '−'])

function extendExpression(tokens: Token[], start: number): number {
  let to = start
  while (OPERATORS.has(tokens[to]?.text ?? '') && isTerm(tokens[to + 1])) {
    to += 2
    while (tokens[to]?.glued && (isTerm(tokens[to]) || '^²³'.includes(tokens[to]!.text))) to++
  }
  return to
}

function isTerm(token: Token | undefined): boolean {
  return token !== undefined && (token.kind === 'number' || (token.kind === 'word' && token.text.length <= 2))
}
