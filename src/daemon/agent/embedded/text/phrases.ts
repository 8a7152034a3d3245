import { FUNCTION_WORDS, JOINING_WORDS, ORDER_WORDS } from '../lexicon/function-words.ts'
import type { Mention } from './mention.ts'
import { textOf } from './mention.ts'
import type { Token } from './tokens.ts'

/**
 * Sequences of content words, such as a topic or a genre, without `taken` tokens. Two such sequences joined by "of" also form
 * a phrase.
 */
export function findPhrases(
  text: string,
  tokens: Token[],
  tags: ReadonlySet<string>[],
  taken: boolean[],
): Mention[] {
  const runs = findRuns(tokens, tags, taken)
  const joined = runs.flatMap((run, i) => joinOf(run, runs[i + 1], tokens))
  return [...runs, ...joined].map(([from, to]) => ({
    kind: 'phrase',
    from,
    to,
    text: textOf(text, tokens, from, to),
  }))
}

type Run = [from: number, to: number]

function findRuns(tokens: Token[], tags: ReadonlySet<string>[], taken: boolean[]): Run[] {
  const runs: Run[] = []
  let start = -1
  for (let at = 0; at <= tokens.length; at++) {
    const inside = at < tokens.length && !taken[at] && isContent(tokens, tags, at)
    const broken = inside && start >= 0 && tokens[at]!.sentence !== tokens[start]!.sentence
    if (start >= 0 && (!inside || broken)) {
      runs.push([start, at])
      start = -1
    }
    if (inside && start < 0) start = at
  }
  return runs
}

function isContent(tokens: Token[], tags: ReadonlySet<string>[], at: number): boolean {
  const token = tokens[at]!
  if (
    token.kind !== 'word' ||
    FUNCTION_WORDS.has(token.lower) ||
    ORDER_WORDS.has(token.lower) ||
    JOINING_WORDS.has(token.lower)
  )
    return false
  const tag = tags[at]!
  if (isNamedAfter(tokens, tags, at)) return true
  if (tag.has('Gerund') && tokens[at - 1]?.capital && at > 1) return false
  if (tag.has('Noun') || tag.has('Adjective') || tag.has('Gerund') || tag.has('Acronym'))
    return !tag.has('Pronoun')
  return (
    !tag.has('Adverb') &&
    !tag.has('Verb') &&
    !tag.has('QuestionWord') &&
    !tag.has('Conjunction') &&
    !tag.has('Preposition')
  )
}

/**
 * True for a word tagged as a verb whose position makes it a name: after a noun with an article ("the branch develop") or at the
 * end of a list ("users and orders").
 */
function isNamedAfter(tokens: Token[], tags: ReadonlySet<string>[], at: number): boolean {
  const next = tokens[at + 1]
  const ends = next === undefined || next.kind === 'mark' || PREPOSITIONS.has(next.lower)
  if (!ends || at < 2 || !tags[at]!.has('Verb')) return false
  const [article, before] = [tokens[at - 2]!.lower, tokens[at - 1]!.lower]
  if (JOINS.has(before)) return tags[at - 2]!.has('Noun') && !tags[at]!.has('Infinitive')
  return tags[at - 1]!.has('Noun') && tags[at]!.has('Infinitive') && ARTICLES.has(article)
}

const PREPOSITIONS = new Set(['in', 'of', 'on', 'at', 'to', 'for', 'from', 'with'])
const JOINS = new Set(['and', ',', 'or'])
const ARTICLES = new Set(['the', 'a', 'an'])

function joinOf(run: Run, next: Run | undefined, tokens: Token[]): Run[] {
  if (!next || next[0] - run[1] > 2) return []
  const between = tokens.slice(run[1], next[0]).map(token => token.lower)
  return between[0] === 'of' && (between.length === 1 || between[1] === 'the') ? [[run[0], next[1]]] : []
}
