import type { Mention, Quantity } from './mention.ts'
import { textOf } from './mention.ts'
import type { Token } from './tokens.ts'
import { CURRENCY_MARKS, unitOf } from './units.ts'

const SMALL: Record<string, number> = Object.fromEntries(
  (
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
    'seventeen eighteen nineteen'
  )
    .split(' ')
    .map((word, value) => [word, value]),
)
const TENS: Record<string, number> = Object.fromEntries(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, i) => [word, (i + 2) * 10]),
)
const SCALES: Record<string, number> = {
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  dozen: 12,
}
const LETTER_SCALES: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, mn: 1e6, B: 1e9, bn: 1e9, T: 1e12 }
const ORDINALS: Record<string, number> = Object.fromEntries(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, i) => [word, i + 1]),
)

/** Numbers with currency sign, scale, unit, percent sign or ordinal suffix. */
export function findNumbers(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  let at = 0
  while (at < tokens.length) {
    const mention = readNumber(text, tokens, at)
    if (mention) found.push(mention)
    at = mention ? mention.to : at + 1
  }
  shareUnits(found, tokens)
  return found
}

function readNumber(text: string, tokens: Token[], start: number): Mention | undefined {
  const money = CURRENCY_MARKS[tokens[start]!.text]
  const first = money ? start + 1 : start
  const base =
    readDigits(tokens, first, money !== undefined) ?? readWords(tokens, first) ?? readImplied(tokens, first)
  if (!base) return undefined
  const quantity: Quantity = { ...base.quantity, ...(money && { unit: money }) }
  let to = base.to
  const unit = quantity.ordinal ? undefined : readUnit(tokens, to)
  if (unit) {
    const whole = endOfCompound(tokens, unit.to)
    if (!money && whole === unit.to) quantity.unit = unit.name
    to = whole
  }
  return { kind: 'number', from: start, to, text: textOf(text, tokens, start, to), quantity }
}

interface ReadNumber {
  quantity: Quantity
  to: number
}

function readDigits(tokens: Token[], at: number, money: boolean): ReadNumber | undefined {
  const token = tokens[at]
  if (token?.kind !== 'number' || isBullet(tokens, at) || isTimes(tokens, at)) return undefined
  const value = Number(token.text.replaceAll(',', '').replace('\u2212', '-'))
  if (Number.isNaN(value)) return undefined
  const next = tokens[at + 1]
  if (next?.glued && ['st', 'nd', 'rd', 'th'].includes(next.lower))
    return { quantity: { value, ordinal: true }, to: at + 2 }
  const power = readPowerOfTen(tokens, at + 1)
  if (power) return { quantity: { value: Number(`${value}e${power.value}`) }, to: power.to }
  const scale = next?.glued && !(next.text === 'K' && !money) ? LETTER_SCALES[next.text] : undefined
  if (scale) return { quantity: { value: roundNumber(value * scale) }, to: at + 2 }
  return applyScales(tokens, { quantity: { value }, to: at + 1 })
}

/** True for the number of a list item: "1. Find …", "2) Find …". */
function isBullet(tokens: Token[], at: number): boolean {
  const [token, mark] = [tokens[at]!, tokens[at + 1]]
  if (token.text.length > 2 || !mark?.glued || !['.', ')'].includes(mark.text)) return false
  const before = tokens[at - 1]
  return (
    (before === undefined || before.sentence !== token.sentence || before.text === '(') &&
    tokens[at + 2]?.capital === true
  )
}

/** True for the first "2" in "2x2", which is not a value. "800x600" is two values. */
function isTimes(tokens: Token[], at: number): boolean {
  const next = tokens[at + 1]
  return (
    next?.glued === true && /^x\d+$/i.test(next.text) && (next.text.length < 3 || tokens[at]!.text.length < 2)
  )
}

/** Reads a power of ten: "8.854 x 10^-12". */
function readPowerOfTen(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const [times, ten, hat, sign, digits] = tokens.slice(at, at + 5)
  if (!times || !['x', '*', '×'].includes(times.lower) || ten?.text !== '10' || hat?.text !== '^')
    return undefined
  if (sign?.kind === 'number') return { value: Number(sign.text), to: at + 4 }
  return sign?.text === '-' && digits?.kind === 'number'
    ? { value: -Number(digits.text), to: at + 5 }
    : undefined
}

function readWords(tokens: Token[], at: number): ReadNumber | undefined {
  const word = tokens[at]?.lower ?? ''
  if (/^x\d{2,6}$/.test(word) && tokens[at]!.glued && tokens[at - 1]?.kind === 'number')
    return { quantity: { value: Number(word.slice(1)) }, to: at + 1 }
  const ordinal = ORDINALS[word]
  if (ordinal && (tokens[at + 1]?.text === ',' || tokens[at]!.capital)) return undefined
  if (ordinal && !unitFollowsSecond(word, tokens, at))
    return { quantity: { value: ordinal, ordinal: true, inWords: true }, to: at + 1 }
  if (word === 'one' && isPronoun(tokens, at)) return undefined
  const parts = word.split('-')
  const small = smallNumber(parts)
  if (small === undefined) return undefined
  let to = at + 1
  let value = small
  const next = SMALL[tokens[to]?.lower ?? '']
  if (parts.length === 1 && word in TENS && next && next < 10) {
    value += next
    to++
  }
  return applyScales(tokens, { quantity: { value, inWords: true }, to })
}

const BEFORE_PRONOUN = new Set(
  'first second third fourth last next another other this that which each every the'.split(' '),
)

/** True for "one" as a pronoun: "the first one", "one of them". */
function isPronoun(tokens: Token[], at: number): boolean {
  return BEFORE_PRONOUN.has(tokens[at - 1]?.lower ?? '') || tokens[at + 1]?.lower === 'of'
}

function smallNumber(parts: string[]): number | undefined {
  const [first = '', second] = parts
  if (second === undefined) return SMALL[first] ?? TENS[first]
  return first in TENS && second in SMALL ? TENS[first]! + SMALL[second]! : undefined
}

const IMPLYING_WORDS = new Set(['next', 'past', 'last', 'coming', 'upcoming', 'following', 'previous'])

/** Reads an implied 1: "the next month". */
function readImplied(tokens: Token[], at: number): ReadNumber | undefined {
  if (!IMPLYING_WORDS.has(tokens[at]?.lower ?? '')) return undefined
  const unit = unitOf(tokens[at + 1]?.lower ?? '')
  if (unit?.dimension !== 'time' || tokens[at + 1]!.text.length < 3) return undefined
  return { quantity: { value: 1, inWords: true, implied: true }, to: at + 1 }
}

/** True if "second" is a unit: "one second" is a duration, but "the second" is an ordinal. */
function unitFollowsSecond(word: string, tokens: Token[], at: number): boolean {
  return word === 'second' && tokens[at - 1]?.kind === 'number'
}

function applyScales(tokens: Token[], base: ReadNumber): ReadNumber {
  let { to } = base
  let { value } = base.quantity
  while (SCALES[tokens[to]?.lower ?? '']) {
    value *= SCALES[tokens[to]!.lower]!
    to++
  }
  return { quantity: { ...base.quantity, value: roundNumber(value) }, to }
}

function roundNumber(value: number): number {
  return Number(value.toPrecision(15))
}

/** The unit after a number: "km", "km/h", "square meters", "m^2", "-day", "°C", "%". Longest match first. */
function readUnit(tokens: Token[], at: number): { name: string; to: number } | undefined {
  const start = tokens[at]?.text === '-' && tokens[at]?.glued && tokens[at + 1]?.glued ? at + 1 : at
  for (let length = 5; length >= 1; length--) {
    const part = tokens.slice(start, start + length)
    if (part.length < length) continue
    const unit = unitOf(spelling(part))
    if (unit && !isMisread(part, tokens[start + length])) return { name: unit.name, to: start + length }
  }
  return undefined
}

/** End of a compound unit that the table does not contain, such as "J/K". */
function endOfCompound(tokens: Token[], to: number): number {
  const compound =
    tokens[to]?.text === '/' && tokens[to]!.glued && tokens[to + 1]?.glued && tokens[to + 1]!.kind === 'word'
  return compound ? to + 2 : to
}

const WORDY: Record<string, string> = {
  'sq ft': 'sqft',
  'square feet': 'sqft',
  'square foot': 'sqft',
  'sq m': 'sqm',
  'per cent': 'percent',
}

function spelling(part: Token[]): string {
  const wordy = part.map(token => token.lower).join(' ')
  if (WORDY[wordy]) return WORDY[wordy]
  const words = part.map(token => token.lower)
  if (words.length === 2 && words[0] === 'light') return 'light-year'
  if (words.length === 2 && (words[0] === 'square' || words[0] === 'cubic'))
    return wordy.replace(' ', '-').replace(/s$/, '')
  if (words[0] === 'degrees' || words[0] === 'degree') {
    if (words.length === 2 && unitOf(words[1]!)?.dimension === 'temperature') return words[1]!
  }
  if (words.length === 3 && words[1] === 'per') return `${singular(words[0]!)}-per-${singular(words[2]!)}`
  if (words.length > 1 && part.slice(1).some(token => !token.glued)) return ''
  return part.map(token => token.text).join('')
}

function singular(word: string): string {
  return unitOf(word)?.name ?? word
}

/** True for a single letter that is not a unit because a capitalized word follows: "5 A Street". */
function isMisread(part: Token[], next: Token | undefined): boolean {
  const [only] = part
  if (part.length > 1 || only!.glued || only!.text.length > 1 || only!.kind === 'mark') return false
  return next?.kind === 'word' && next.capital
}

/** Copies the unit of the last number in a list to the others: in "5, 10 and 15 years", all are years. */
function shareUnits(numbers: Mention[], tokens: Token[]): void {
  for (let i = numbers.length - 2; i >= 0; i--) {
    const here = numbers[i]!.quantity!
    const next = numbers[i + 1]!.quantity!
    const between = tokens.slice(numbers[i]!.to, numbers[i + 1]!.from).map(token => token.lower)
    if (here.unit || !next.unit || here.ordinal || between.length === 0) continue
    if (between.every(word => [',', 'and', 'or', 'to', '-', '–', '&'].includes(word))) here.unit = next.unit
  }
}
