import { findCodes, mayBeTwoNumbers } from './codes.ts'
import { findCurrencies } from './currencies.ts'
import { type DateFinder, loadDateFinder } from './dates.ts'
import { findLists } from './lists.ts'
import { findLiterals } from './literals.ts'
import type { Analysis, Mention, MentionKind } from './mention.ts'
import { findNames } from './names.ts'
import { findNumbers } from './numbers.ts'
import { findPassages } from './passages.ts'
import { findPhrases } from './phrases.ts'
import { findQuoted } from './quoted.ts'
import { loadTagger, type Tagger } from './tags.ts'
import { type Token, tokenize } from './tokens.ts'
import { unitNamed } from './units.ts'

export type Reader = (message: string) => Analysis

/** Longer messages are truncated. All scanners are linear, so this limits the tagger's memory. */
const MAX_READ = 8000

/** Maximum number of parameter-mention pairs to compare. Real messages need hundreds to thousands. */
const MAX_WORK = 60_000

/** Loads the tagger and the date parser (60 ms, once). Relative dates count from `reference`. */
export async function loadReader(reference: Date): Promise<Reader> {
  const [tagger, findDates] = await Promise.all([loadTagger(), loadDateFinder(reference)])
  return message => analyse(unwrap(message.slice(0, MAX_READ)), tagger, findDates)
}

function analyse(text: string, tagger: Tagger, findDates: DateFinder): Analysis {
  const tokens = tokenize(text)
  const tags = tagger(text, tokens)
  const solid = withoutOverlaps([
    outermostMentions(findQuoted(text, tokens), findLiterals(text, tokens)),
    findCodes(text, tokens),
  ])
  const outside = (mention: Mention) =>
    !solid.some(other => other.kind !== 'unit' && !mayBeTwoNumbers(other.text) && overlaps(mention, other))
  const dates = findDates(text, tokens).filter(outside)
  const names = findNames(text, tokens, tags).filter(name => !insideSolid(name, [...solid, ...dates]))
  const numbers = findNumbers(text, tokens)
  const plain = numbers.filter(
    number =>
      outside(number) &&
      (number.quantity!.implied ||
        !dates.some(date => isInside(number, date) && !isDistance(number, date))) &&
      !names.some(name => endsWith(name, number)),
  )
  const inner = numbers.filter(number =>
    solid.some(other => other.kind === 'literal' && isInside(number, other)),
  )
  const proper = names.filter(name => !plain.some(number => isInside(name, number)))
  const taken = coverage(tokens, [...solid.filter(isOpaque), ...dates, ...plain])
  const phrases = findPhrases(text, tokens, tags, taken).filter(
    phrase =>
      !proper.some(name => isInside(phrase, name) || endsWith(phrase, name) || continuesName(name, phrase)),
  )
  const currencies = findCurrencies(text, tokens).filter(outside)
  for (const number of plain) assignCurrency(number, currencies)
  const mentions = [
    ...solid,
    ...quotedNumbers(solid),
    ...dates,
    ...plain,
    ...currencies,
    ...proper,
    ...phrases,
  ]
  const owners = ownersOf(tokens, [...plain, ...dates, ...solid])
  const lists = findLists(mentions, tokens)
  mentions.push(...findPassages(text, tokens, tags, [...solid, ...dates, ...plain]))
  mentions.sort((a, b) => a.from - b.from || b.to - a.to)
  return { text, tokens, tags, owners, lists, mentions, inner, budget: { left: MAX_WORK } }
}

/** Makes the pounds in "80 pounds sterling" money rather than a weight. */
function assignCurrency({ quantity, to }: Mention, currencies: Mention[]): void {
  const currency = currencies.find(({ from, to: end }) => from <= to && to <= end && from >= to - 2)
  if (currency && quantity) quantity.unit = unitNamed(currency.code!.toLowerCase())?.name
}

/** Quotes that contain a number, as in "'2' rooms". */
function quotedNumbers(solid: Mention[]): Mention[] {
  return solid
    .filter(
      ({ kind, text }) =>
        kind === 'quoted' && text.trim() !== '' && text.length < 16 && !Number.isNaN(Number(text)),
    )
    .map(mention => ({ ...mention, kind: 'number', quantity: { value: Number(mention.text) } }))
}

/** True for a number that is part of a relative date: "5 years ago". */
function isDistance(number: Mention, date: Mention): boolean {
  return date.dateTime!.relative && number.quantity!.unit !== undefined
}

/** True for "San Francisco back", where the phrase continues after the name. */
function continuesName(name: Mention, phrase: Mention): boolean {
  return (
    name.from === phrase.from &&
    name.to - name.from > 1 &&
    (name.place === true || phrase.text.includes(' of '))
  )
}

/** True for a name that ends with the number: "Maroon 5", "S&P 500". */
function endsWith(name: Mention, number: Mention): boolean {
  return isInside(number, name) && number.from > name.from
}

/** Removes quotes around the whole message. */
function unwrap(text: string): string {
  const trimmed = text.trim()
  const quoted = trimmed.length > 20 && trimmed.startsWith('"') && trimmed.endsWith('"')
  return quoted && !trimmed.slice(1, -1).includes('"') ? trimmed.slice(1, -1) : text
}

/** Removes quotes inside an array, which are its items, and brackets inside quotes, which are text. */
function outermostMentions(quoted: Mention[], literals: Mention[]): Mention[] {
  const within = (mention: Mention, others: Mention[]) =>
    others.some(other => overlaps(mention, other) && other.from < mention.from)
  return [
    ...quoted.filter(mention => !within(mention, literals)),
    ...literals.filter(mention => !within(mention, quoted)),
  ]
}

/** Earlier lists take precedence. For example, a quoted text is not also a path. */
function withoutOverlaps(lists: Mention[][]): Mention[] {
  const kept: Mention[] = []
  for (const list of lists) {
    const before = kept.length
    for (const mention of list) {
      if (!kept.slice(0, before).some(other => overlaps(mention, other))) kept.push(mention)
    }
  }
  return kept
}

function overlaps(a: Mention, b: Mention): boolean {
  return a.from < b.to && b.from < a.to
}

function isInside(mention: Mention, other: Mention): boolean {
  return other.from <= mention.from && mention.to <= other.to
}

const OPAQUE_KINDS = new Set<MentionKind>(['quoted', 'literal', 'url', 'email', 'path', 'expression', 'code'])

function isOpaque(mention: Mention): boolean {
  return OPAQUE_KINDS.has(mention.kind)
}

function insideSolid(mention: Mention, solid: Mention[]): boolean {
  return solid.some(other => (isOpaque(other) ? overlaps(mention, other) : isInside(mention, other)))
}

function ownersOf(tokens: Token[], mentions: Mention[]): (Mention | undefined)[] {
  const owners = new Array<Mention | undefined>(tokens.length).fill(undefined)
  for (const mention of mentions) owners.fill(mention, mention.from, mention.to)
  return owners
}

/** Marks the tokens that mentions cover. */
function coverage(tokens: Token[], mentions: Mention[]): boolean[] {
  const covered = tokens.map(() => false)
  for (const { from, to } of mentions) covered.fill(true, from, to)
  return covered
}
