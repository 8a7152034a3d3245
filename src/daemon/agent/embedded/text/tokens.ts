import { identifierWords, isDigit, isLetter, isUpper, stem } from './stem.ts'

export interface Token {
  text: string
  lower: string
  /** Stems of the token's parts. "well-known" has two, a punctuation mark none. */
  stems: string[]
  /** Offsets in the message, end exclusive. */
  start: number
  end: number
  kind: 'word' | 'number' | 'mark'
  /** True if no white space precedes the token. */
  glued: boolean
  capital: boolean
  /** Number of the sentence, from 0. */
  sentence: number
}

/** Splits a message into words, numbers and single marks in one pass. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let sentence = 0
  while (at < text.length) {
    const letter = text[at]!
    if (isSpace(letter)) {
      if (letter === '\n' && text[at + 1] === '\n') sentence++
      at++
      continue
    }
    const [kind, end] = scanToken(text, at, tokens.at(-1))
    tokens.push(makeToken(text, at, end, kind, sentence, tokens.at(-1)))
    if (endsSentence(text, at, end)) sentence++
    at = end
  }
  return tokens
}

function scanToken(text: string, at: number, before: Token | undefined): [Token['kind'], number] {
  const letter = text[at]!
  if (isDigit(letter) || startsSigned(text, at, before)) return ['number', scanNumber(text, at)]
  if (isLetter(letter) || letter === '_') return ['word', scanWord(text, at)]
  return ['mark', at + (letter >= '\ud800' && letter <= '\udbff' ? 2 : 1)]
}

function makeToken(
  text: string,
  start: number,
  end: number,
  kind: Token['kind'],
  sentence: number,
  before: Token | undefined,
): Token {
  const word = text.slice(start, end)
  const stems = kind === 'word' ? identifierWords(word).map(stem) : []
  const glued = before !== undefined && before.end === start
  return {
    text: word,
    lower: word.toLowerCase(),
    stems,
    start,
    end,
    kind,
    glued,
    capital: isUpper(word[0]!),
    sentence,
  }
}

/** "-3" or ".5" where a number may start. The hyphen of "10-20" is not a minus. */
function startsSigned(text: string, at: number, before: Token | undefined): boolean {
  const letter = text[at]!
  if (letter !== '-' && letter !== '.' && letter !== '\u2212') return false
  if (
    !isDigit(text[at + 1] ?? '') &&
    !(letter === '-' && text[at + 1] === '.' && isDigit(text[at + 2] ?? ''))
  )
    return false
  return before === undefined || before.end < at || '([{=,:$€£'.includes(before.text)
}

function scanNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length) {
    const letter = text[at]!
    if (isDigit(letter)) at++
    else if (letter === ',' && isGroup(text, at)) at += 4
    else if (letter === '.' && isDigit(text[at + 1] ?? '') && !text.slice(start, at).includes('.')) at += 2
    else if ((letter === 'e' || letter === 'E') && isExponent(text, at)) at += 2
    else break
  }
  return at
}

/** True for a comma followed by exactly three digits. */
function isGroup(text: string, at: number): boolean {
  const digits = [1, 2, 3].every(i => isDigit(text[at + i] ?? ''))
  return digits && !isDigit(text[at + 4] ?? '')
}

function isExponent(text: string, at: number): boolean {
  const next = text[at + 1] ?? ''
  if (next === '-' || next === '+') return isDigit(text[at + 2] ?? '')
  return isDigit(next) && !isLetter(text[at - 1] ?? '')
}

function scanWord(text: string, start: number): number {
  let at = start + 1
  while (at < text.length) {
    const letter = text[at]!
    if (isLetter(letter) || isDigit(letter) || letter === '_') at++
    else if (joinsWord(text, at)) at++
    else break
  }
  return at
}

/**
 * True for an apostrophe, hyphen, dot or ampersand inside a word: don't, gluten-free, U.S.A, AT&T. A final 's is not part of
 * a word.
 */
function joinsWord(text: string, at: number): boolean {
  const next = text[at + 1] ?? ''
  if (!isLetter(next) && !isDigit(next)) return false
  const letter = text[at]!
  if (letter === "'" || letter === '’')
    return !text.slice(at + 1, at + 3).startsWith('s') || isLetter(text[at + 2] ?? '')
  if (letter === '&') return true
  if (letter === '.' && isDigit(next)) return isDigit(text[at - 1]!)
  if (letter === '.') return !isUpper(next) || isUpper(text[at - 1]!)
  return letter === '-'
}

function endsSentence(text: string, start: number, end: number): boolean {
  const mark = text[start]!
  if (mark === '!' || mark === '?' || mark === ';') return isBreak(text[end])
  if (mark !== '.' || !isBreak(text[end])) return false
  return !isAbbreviation(text, start)
}

function isBreak(letter: string | undefined): boolean {
  return letter === undefined || isSpace(letter) || letter === '"' || letter === '”' || letter === "'"
}

const ABBREVIATIONS = new Set(
  'mr mrs ms dr st prof sr jr vs etc inc ltd co corp no e.g i.e approx dept'.split(' '),
)

function isAbbreviation(text: string, dot: number): boolean {
  let start = dot
  while (start > 0 && dot - start < 12 && !isSpace(text[start - 1]!)) start--
  const word = text.slice(start, dot)
  if (word.length === 1 && isUpper(word)) return true
  if (word.includes('.') && word.length <= 5) return true
  if (!ABBREVIATIONS.has(word.toLowerCase())) return false
  const next = text.slice(dot + 1, dot + 9).trimStart()[0] ?? ''
  return next !== '' && !(isUpper(next) && ['inc', 'ltd', 'co', 'corp', 'etc'].includes(word.toLowerCase()))
}

export function isSpace(letter: string): boolean {
  return letter === ' ' || letter === '\n' || letter === '\t' || letter === '\r' || letter === '\u00a0'
}
