import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import type { Mention } from './mention.ts'
import { textOf } from './mention.ts'
import type { Token } from './tokens.ts'

/** Nouns that introduce unquoted text: "a task to buy milk", "the note that …". */
const TEXT_NOUNS = new Set(
  'message text note comment title subject query task todo reminder body content tweet reply question memo'.split(
    ' ',
  ),
)
const SEARCHES = new Set(
  'search searching look looking find query docs documentation articles results google web'.split(' '),
)

interface Opening {
  at: number
  /** Certainty that unquoted text starts here. */
  strength: number
}

const MAX_OPENINGS = 12

/**
 * Parts that may be a complete text without quotes: after a colon, after "that" or "to" following a noun for text, after
 * "search for", or after the verb of a command. Each extends to the end of the sentence or to the next value.
 */
export function findPassages(
  text: string,
  tokens: Token[],
  tags: ReadonlySet<string>[],
  values: Mention[],
): Mention[] {
  const quoted = new Set(
    values.filter(({ kind }) => kind === 'quoted').map(({ from }) => tokens[from]!.sentence),
  )
  const openings: Opening[] = []
  for (let at = 0; at < tokens.length && openings.length < MAX_OPENINGS; at++) {
    const opening = quoted.has(tokens[at]!.sentence) ? undefined : openingAt(tokens, tags, at)
    if (opening && tokens[opening.at]?.sentence === tokens[at]!.sentence) openings.push(opening)
  }
  return openings.flatMap(({ at, strength }) =>
    endsOf(tokens, tags, values, at)
      .filter(to => strength >= 1 || !values.some(value => value.from < to && value.to > at))
      .map(to => ({
        kind: 'passage' as const,
        from: at,
        to,
        text: textOf(text, tokens, at, to),
        strength,
      })),
  )
}

function openingAt(tokens: Token[], tags: ReadonlySet<string>[], at: number): Opening | undefined {
  const { lower } = tokens[at]!
  const next = tokens[at + 1]?.lower ?? ''
  if (lower === ':' && !tokens[at + 1]?.glued) return { at: at + 1, strength: 2.4 }
  if (TEXT_NOUNS.has(lower)) {
    if (['that', 'saying', 'says', 'reading'].includes(next)) return { at: at + 2, strength: 2.4 }
    if (next === 'to' && isVerb(tags[at + 2])) return { at: at + 2, strength: 2.3 }
    const plain = tokens[at + 1]?.kind === 'word' && !FUNCTION_WORDS.has(next)
    return plain ? { at: at + 1, strength: 1.6 } : undefined
  }
  if (lower === 'remind')
    return ['to', 'that', 'about'].includes(tokens[at + 2]?.lower ?? '')
      ? { at: at + 3, strength: 2.3 }
      : undefined
  if ((lower === 'for' || lower === 'about') && searchesBefore(tokens, at))
    return { at: at + 1, strength: lower === 'about' ? 2.1 : 1.7 }
  if (lower === 'to' && at > 1 && tags[at + 1]?.has('Infinitive')) return { at: at + 1, strength: 1.4 }
  const first = at === 0 || tokens[at - 1]!.sentence !== tokens[at]!.sentence
  return first && tokens[at]!.kind === 'word' && !FUNCTION_WORDS.has(lower)
    ? { at: at + 1, strength: 0.9 }
    : undefined
}

function isVerb(tags: ReadonlySet<string> | undefined): boolean {
  return tags?.has('Verb') ?? false
}

function searchesBefore(tokens: Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - 6), at).some(({ lower }) => SEARCHES.has(lower))
}

const TAILS = new Set(['.', '!', '?', ',', 'please', 'thanks'])
const PREPOSITIONS = new Set(['to', 'in', 'on', 'at', 'into', 'from', 'by', 'with', 'for'])

/** Possible ends: the end of the sentence or the start of a joined command, and before a value or a preposition. */
function endsOf(tokens: Token[], tags: ReadonlySet<string>[], values: Mention[], from: number): number[] {
  let end = from
  while (end < tokens.length && tokens[end]!.sentence === tokens[from]!.sentence) end++
  const ends = new Set<number>()
  const joint = tokens.findIndex(
    (token, at) => at > from && at < end && token.lower === 'and' && tags[at + 1]?.has('Infinitive') === true,
  )
  if (joint > 0) end = joint
  ends.add(end)
  for (const value of values) {
    if (value.from > from && value.to <= end && STOPS.has(value.kind)) ends.add(value.from)
  }
  const preposition = tokens.findIndex((token, at) => at > from && at < end && PREPOSITIONS.has(token.lower))
  if (preposition > 0) ends.add(preposition)
  return [...ends]
    .map(to => trimEnd(tokens, from, to))
    .filter((to, i, all) => to > from && all.indexOf(to) === i)
}

const STOPS = new Set(['date', 'code', 'url', 'email', 'path'])

function trimEnd(tokens: Token[], from: number, end: number): number {
  let to = end
  while (
    to > from &&
    (TAILS.has(tokens[to - 1]!.lower) ||
      PREPOSITIONS.has(tokens[to - 1]!.lower) ||
      tokens[to - 1]!.text === '#')
  )
    to--
  return to
}
