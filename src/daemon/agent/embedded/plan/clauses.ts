import { FUNCTION_WORDS, JOINING_WORDS } from '../lexicon/function-words.ts'
import type { Analysis } from '../text/mention.ts'
import type { Piece } from './pieces.ts'

/** Words that start a request regardless of the tagger: question words, polite forms and the most common verbs. */
const OPENERS = new Set(
  'what who where when which how why whose can could would will please i is are do does did tell give find get show let help'.split(
    ' ',
  ),
)

/** Splits the message into requests at sentence ends, and where a new verb or question follows a joining word or comma. */
export function cutClauses(analysis: Analysis): Piece[] {
  const { tokens } = analysis
  const clauses: Piece[] = []
  let start = 0
  for (let at = 1; at < tokens.length; at++) {
    if (!opensClause(analysis, at)) continue
    if (at > start) clauses.push({ from: start, to: at })
    start = at
  }
  if (tokens.length > start) clauses.push({ from: start, to: tokens.length })
  return clauses
}

function opensClause(analysis: Analysis, at: number): boolean {
  const { tokens, owners } = analysis
  if (owners[at] && owners[at]!.from < at) return false
  if (tokens[at - 1]!.sentence !== tokens[at]!.sentence) return true
  if (tokens[at]!.text !== ',' && !JOINING_WORDS.has(tokens[at]!.lower)) return false
  if (tokens[at - 1]!.text === ',' || JOINING_WORDS.has(tokens[at - 1]!.lower)) return false
  let next = at
  while (next < tokens.length && (tokens[next]!.text === ',' || JOINING_WORDS.has(tokens[next]!.lower)))
    next++
  return startsRequest(analysis, next)
}

function startsRequest({ tokens, tags }: Analysis, at: number): boolean {
  const token = tokens[at]
  if (token?.kind !== 'word') return false
  if (OPENERS.has(token.lower)) return true
  if (FUNCTION_WORDS.has(token.lower)) return false
  const tag = tags[at]!
  return (
    (tag.has('Infinitive') || tag.has('Imperative') || VERBS.has(token.lower)) &&
    !tokens[at - 1]?.lower.startsWith('to')
  )
}

/** Verbs that the tagger mistakes for nouns at the start of a request. */
const VERBS = new Set(
  'calculate compute determine estimate predict convert translate book order buy play search look check list create add delete remove update set send save read write open close move copy rename fetch retrieve provide generate draw plot analyze analyse compare identify recommend suggest schedule cancel remind summarize describe explain solve train run start stop commit push mark assign invite post reply upload download press click type navigate fill submit take turn switch enable disable increase decrease subscribe share rate archive restore reserve count sort filter merge split export import reschedule pay transfer deploy install register'.split(
    ' ',
  ),
)
