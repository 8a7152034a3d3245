import { areRelated } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import type { Mention } from '../text/mention.ts'
import type { Token } from '../text/tokens.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Scope } from './scope.ts'

const REACH_BEFORE = 8
const REACH_AFTER = 4

/**
 * Score for words around a mention that name the parameter: "a radius of 10", "3 bedrooms", "b = 4". Nearer words count more,
 * and words beyond another value do not count. Ranges from 0 to about 4.
 */
export function cueScore(scope: Scope, parameter: Parameter, mention: Mention): number {
  const noun = pairedNoun(scope, mention)
  if (noun) return 2.4 * weightOfRange(scope, parameter, noun)
  const before = strongestCue(scope, parameter, mention, -1, REACH_BEFORE)
  const after = strongestCue(scope, parameter, mention, 1, REACH_AFTER)
  return Math.max(before, after) + Math.min(before, after) * 0.3
}

function strongestCue(
  scope: Scope,
  parameter: Parameter,
  mention: Mention,
  step: 1 | -1,
  reach: number,
): number {
  const { tokens } = scope.analysis
  const edge = step < 0 ? tokens[mention.from]! : tokens[mention.to - 1]!
  let distance = 0
  let best = 0
  let rest = 0
  for (let at = step < 0 ? mention.from - 1 : mention.to; distance < reach; at += step) {
    const token = tokens[at]
    if (!token || at < scope.from || at >= scope.to || token.sentence !== edge.sentence) break
    if (blocksReach(scope, token, at, mention, step)) break
    distance += costOf(token)
    const weight = weightOf(scope, parameter, token, tokens[at + 1]) / (1 + 0.18 * Math.max(0, distance - 1))
    if (weight > best) {
      rest += best * 0.3
      best = weight
    } else rest += weight * 0.3
  }
  return 2.2 * best + Math.min(rest, 0.8)
}

/** True at another value, or where a new part of the sentence starts after the mention. */
function blocksReach(scope: Scope, token: Token, at: number, mention: Mention, step: number): boolean {
  const owner = scope.analysis.owners[at]
  if (owner !== undefined && owner.from !== mention.from) return true
  if (step < 0) return false
  return PART_ENDS.has(token.lower) || (mention.kind !== 'number' && PREPOSITIONS.has(token.lower))
}

const PART_ENDS = new Set([',', 'and', 'with', 'using', 'based', 'while', 'where', 'that', 'which'])
const PREPOSITIONS = new Set('of in at from by on to for near during into per between about as'.split(' '))

function costOf(token: Token): number {
  if (token.text === ',' || token.lower === 'and') return 2
  return FUNCTION_WORDS.has(token.lower) || token.kind === 'mark' ? 0.3 : 1
}

/**
 * The noun that a number in a list belongs to: in "base and height of 6 and 10", the second number belongs to the second
 * noun.
 */
function pairedNoun(scope: Scope, mention: Mention): Mention | undefined {
  const { lists, tokens } = scope.analysis
  const at = lists.findIndex(list => list.includes(mention))
  const nouns = lists[at - 1]
  const values = lists[at]
  if (!nouns || !values || nouns.length !== values.length || nouns[0]!.kind !== 'phrase') return undefined
  const gap = values[0]!.from - nouns.at(-1)!.to
  if (gap > 3 || nouns[0]!.from < scope.from) return undefined
  if (
    values[0]!.kind === 'phrase' ||
    tokens.slice(nouns.at(-1)!.to, values[0]!.from).some(token => token.text === ',')
  )
    return undefined
  return nouns[values.indexOf(mention)]
}

function weightOfRange(scope: Scope, parameter: Parameter, noun: Mention): number {
  const { tokens } = scope.analysis
  let best = 0
  for (let at = noun.from; at < noun.to; at++)
    best = Math.max(best, weightOf(scope, parameter, tokens[at]!, tokens[at + 1]))
  return best
}

/** Score of one word: highest for the parameter's name, lower for a related word or a word of the description. */
function weightOf(scope: Scope, parameter: Parameter, token: Token, next: Token | undefined): number {
  if (token.kind !== 'word') return 0
  const ordinal = ordinalOf(parameter)
  if (ordinal && token.lower === ordinal) return 1
  if (token.text.length === 1 || token.text === parameter.name) return assigns(parameter, token, next)
  if (FUNCTION_WORDS.has(token.lower)) return 0
  let best = 0
  for (const part of token.stems) {
    const share = 1 / (1 + 0.7 * ((scope.stemCounts.get(part) ?? 1) - 1))
    if (parameter.nameStems.includes(part)) best = Math.max(best, share)
    else if (parameter.nameStems.some(own => isShortFor(own, part) || isShortFor(part, own)))
      best = Math.max(best, 0.8)
    else if (parameter.descriptionStems.includes(part))
      best = Math.max(best, (parameter.required ? 0.5 : 0.3) * share)
    else if (part.length > 6 && parameter.nameStems.some(own => isTypo(own, part))) best = Math.max(best, 0.8)
    else if (parameter.nameStems.some(own => areRelated(own, part))) best = Math.max(best, 0.55)
  }
  return best
}

/** True for an abbreviation such as "repo" for "repository". */
function isShortFor(short: string, long: string): boolean {
  return short.length > 3 && long.startsWith(short)
}

/** True for one inserted, missing or different letter in a long word. Linear. */
function isTypo(meant: string, written: string): boolean {
  if (meant.length < 7 || Math.abs(meant.length - written.length) > 1) return false
  let start = 0
  while (start < meant.length && meant[start] === written[start]) start++
  let end = 0
  while (end < meant.length - start && meant.at(-1 - end) === written.at(-1 - end)) end++
  return Math.max(meant.length, written.length) - start - end <= 1
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/** Ordinal for a numbered parameter: "charge2" is the second charge. */
function ordinalOf({ name }: Parameter): string | undefined {
  const digit = Number(name.at(-1))
  return digit > 0 ? ORDINALS[digit - 1] : undefined
}

const ASSIGNMENTS = new Set(['=', ':', 'is', 'as', 'equals', 'equal', 'of', "'", '"', 'to', 'at', 'being'])

/** Score of the literal name. A letter or function word counts only before an assignment: "a = 2", "x is 5". */
function assigns(parameter: Parameter, token: Token, next: Token | undefined): number {
  if (token.text !== parameter.name && token.lower !== parameter.name.toLowerCase()) return 0
  if (token.text.length > 1 && !FUNCTION_WORDS.has(token.lower)) return 1.2
  return next && ASSIGNMENTS.has(next.lower) ? 1.4 : 0
}

const SOURCE_WORDS = new Set([
  'from',
  'between',
  'leaving',
  'departing',
  'starting',
  'since',
  'after',
  'beginning',
])
const TARGET_WORDS = new Set([
  'to',
  'into',
  'until',
  'till',
  'through',
  'before',
  'by',
  'towards',
  'toward',
  'ending',
  '->',
  '→',
])

/** 1 when the words before the mention point to the parameter's end of a movement or range, -1 for the other end, else 0. */
export function sideScore(scope: Scope, parameter: Parameter, mention: Mention): number {
  const opposite = scope.signature.parameters.some(({ side }) => side && side !== parameter.side)
  if (!parameter.side || !opposite) return 0
  const measured = parameter.namedRoles.has('unit') || parameter.namedRoles.has('currency')
  if (measured && isNextToNumber(scope, mention)) return parameter.side === 'source' ? 1 : -1
  const side = sideBefore(scope, mention)
  if (!side) return 0
  return side === parameter.side ? 1 : -1
}

/** True for a unit or currency next to a number, the source of a conversion: "500 US dollars in euros". */
function isNextToNumber({ analysis }: Scope, mention: Mention): boolean {
  return (
    mention.kind === 'number' ||
    analysis.owners[mention.from]?.kind === 'number' ||
    analysis.tokens[mention.from - 1]?.kind === 'number'
  )
}

function sideBefore(scope: Scope, mention: Mention): 'source' | 'target' | undefined {
  const { tokens } = scope.analysis
  for (let at = mention.from - 1; at >= Math.max(scope.from, mention.from - 3); at--) {
    const word = tokens[at]!.lower
    if (SOURCE_WORDS.has(word)) return 'source'
    if (TARGET_WORDS.has(word)) return 'target'
    if (word === 'and') return opensBetween(tokens, at, scope.from) ? 'target' : undefined
    if (!FUNCTION_WORDS.has(word) && tokens[at]!.kind === 'word' && at < mention.from - 2) return undefined
  }
  return undefined
}

function opensBetween(tokens: Token[], at: number, from: number): boolean {
  for (let i = at - 1; i >= Math.max(from, at - 8); i--) if (tokens[i]!.lower === 'between') return true
  return false
}
