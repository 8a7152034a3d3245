import { regionOf } from '../lexicon/cities.ts'
import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import { countryOf, isCountry, isRegion, isState } from '../lexicon/places.ts'
import type { Mention } from './mention.ts'
import { textOf } from './mention.ts'
import type { Token } from './tokens.ts'

const CONNECTORS = new Set([
  'of',
  'the',
  'de',
  'la',
  'van',
  'von',
  'del',
  'di',
  'da',
  '&',
  'for',
  'in',
  'vs',
  'vs.',
  'v.',
  'versus',
])

/** Proper names: capitalized words, including small words inside ("Museum of Modern Art") and a number at the end. */
export function findNames(text: string, tokens: Token[], tags: ReadonlySet<string>[]): Mention[] {
  const found: Mention[] = []
  let at = 0
  while (at < tokens.length) {
    const to = startsName(tokens, tags, at) ? endOfName(tokens, tags, at) : at
    if (to > at) found.push(describe(text, tokens, tags, at, to))
    at = Math.max(to, at + 1)
  }
  found.push(...found.flatMap(name => placeWithin(text, tokens, name)), ...findSmallPlaces(text, tokens))
  found.sort((a, b) => a.from - b.from)
  return found.flatMap((name, i) => joinRegion(name, found[i + 1], found[i - 1], text, tokens))
}

/** The place within a name: "France" in "King of France". */
function placeWithin(text: string, tokens: Token[], { from, to }: Mention): Mention[] {
  const of = tokens.findIndex((token, at) => at > from && at < to - 1 && token.lower === 'of')
  if (of < 0) return []
  const name = textOf(text, tokens, of + 1, to)
  if (!isCountry(name) && !isState(name) && regionOf(name) === undefined) return []
  return [{ kind: 'name', from: of + 1, to, text: name, place: true }]
}

/** Words that are places only if capitalized. */
const AMBIGUOUS = new Set([
  'nice',
  'turkey',
  'china',
  'jordan',
  'victoria',
  'phoenix',
  'cologne',
  'reading',
  'lima',
])

/** Known places in lower case: "weather in new york". */
function findSmallPlaces(text: string, tokens: Token[]): Mention[] {
  const found: Mention[] = []
  for (let at = 0; at < tokens.length; at++) {
    for (let length = 3; length >= 1; length--) {
      const part = tokens.slice(at, at + length)
      if (part.length < length || part.some(token => token.kind !== 'word' || token.capital)) continue
      const name = part.map(({ text: word }) => word[0]!.toUpperCase() + word.slice(1)).join(' ')
      if (name.length < 4 || AMBIGUOUS.has(part[0]!.lower)) continue
      if (regionOf(name) === undefined && !isCountry(name) && !(isState(name) && name.length > 3)) continue
      found.push({
        kind: 'name',
        from: at,
        to: at + length,
        text: textOf(text, tokens, at, at + length),
        place: true,
      })
      at += length - 1
      break
    }
  }
  return found
}

function startsName(tokens: Token[], tags: ReadonlySet<string>[], at: number): boolean {
  const token = tokens[at]!
  if (!isNameWord(token)) return false
  if (token.text.length === 1 && modifiesNext(tokens, tags, at)) return false
  if (!opensSentence(tokens, at)) return true
  if (FUNCTION_WORDS.has(token.lower) || tokens[at + 1]?.text === ',') return false
  const tag = tags[at]!
  if (tag.has('ProperNoun') || tag.has('Place') || tag.has('Person') || tag.has('Acronym')) return true
  return !tag.has('Verb') && !tag.has('QuestionWord') && isNameWord(tokens[at + 1]) && !tokens[at + 1]!.glued
}

/** True for a capital letter that belongs to the next word, such as the "T" in "T cell". */
function modifiesNext(tokens: Token[], tags: ReadonlySet<string>[], at: number): boolean {
  const next = tokens[at + 1]
  return (
    next?.kind === 'word' &&
    !next.capital &&
    !FUNCTION_WORDS.has(next.lower) &&
    (tags[at + 1]?.has('Noun') ?? false)
  )
}

function isNameWord(token: Token | undefined): boolean {
  if (token?.kind !== 'word' || !token.capital) return false
  return token.text.length > 1
    ? !['I', "I'm", "I'd", "I've", "I'll"].includes(token.text)
    : token.text !== 'I'
}

function opensSentence(tokens: Token[], at: number): boolean {
  const before = tokens[at - 1]
  if (!before || before.sentence !== tokens[at]!.sentence) return true
  return (
    before.kind === 'mark' &&
    ('"“:'.includes(before.text) || (before.text === '.' && !tokens[at]!.glued && at > 2))
  )
}

function endOfName(tokens: Token[], tags: ReadonlySet<string>[], start: number): number {
  let to = start + 1
  for (;;) {
    if (tokens[to]?.text === '.' && isInitial(tokens[to - 1]!) && isNameWord(tokens[to + 1])) to += 1
    else if (isNameWord(tokens[to]) && tokens[to]!.sentence === tokens[start]!.sentence) to += 1
    else if (CONNECTORS.has(tokens[to]?.text ?? '')) {
      const next = CONNECTORS.has(tokens[to + 1]?.text ?? '') ? to + 2 : to + 1
      const place = tags[to - 1]?.has('Place') ?? false
      if (
        !isNameWord(tokens[next]) ||
        ['in', 'for'].includes(tokens[to]!.text) ||
        (tokens[to]!.text === 'the' && place)
      )
        break
      to = next + 1
    } else break
  }
  if (GEOGRAPHIC.has(tokens[to]?.lower ?? '') && !opensSentence(tokens, start)) return to + 1
  const number = tokens[to]
  const isYear = number !== undefined && number.text.length === 4
  const takesNumber =
    number?.kind === 'number' && !isYear && /^\d{1,3}$/.test(number.text) && !unitLike(tokens[to + 1])
  return takesNumber && !opensSentence(tokens, start) ? to + 1 : to
}

const GEOGRAPHIC = new Set(
  'rainforest river desert mountains valley coast peninsula basin delta plateau'.split(' '),
)

function isInitial(token: Token): boolean {
  return token.text.length === 1 || ['Mr', 'Mrs', 'Ms', 'Dr', 'St', 'Jr'].includes(token.text)
}

function unitLike(token: Token | undefined): boolean {
  if (token?.text === '%' || token?.text === '-') return true
  return token?.kind === 'word' && (token.glued || !FUNCTION_WORDS.has(token.lower))
}

function describe(
  text: string,
  tokens: Token[],
  tags: ReadonlySet<string>[],
  from: number,
  to: number,
): Mention {
  const own = tags.slice(from, to)
  const name = textOf(text, tokens, from, to)
  const has = (tag: string) => own.some(set => set.has(tag))
  return {
    kind: 'name',
    from,
    to,
    text: name.endsWith("'s") || name.endsWith('’s') ? name.slice(0, -2) : name,
    place: has('Place') || isRegion(name) || regionOf(name) !== undefined,
    ...(countryOf(name) && { country: countryOf(name) }),
    person: has('Person') || has('FirstName') || has('LastName'),
    organization: has('Organization'),
  }
}

/** Joins "Paris, France" and "Austin, TX" into one mention with both parts. */
function joinRegion(
  name: Mention,
  next: Mention | undefined,
  before: Mention | undefined,
  text: string,
  tokens: Token[],
): Mention[] {
  if (before && joinsRegion(before, name, tokens)) return []
  if (!next || !joinsRegion(name, next, tokens)) return [name]
  const whole = textOf(text, tokens, name.from, next.to)
  return [{ ...name, to: next.to, text: whole, core: name.text, region: next.text, place: true }]
}

function joinsRegion(name: Mention, next: Mention, tokens: Token[]): boolean {
  if (next.from !== name.to + 1 || tokens[name.to]!.text !== ',' || !isRegion(next.text)) return false
  if (isCountry(name.text)) return false
  return !isState(name.text) || isCountry(next.text) || name.text === 'New York' || name.text === 'Washington'
}
