import { areRelated } from '../lexicon/concepts.ts'
import { GENERIC_WORDS } from '../lexicon/function-words.ts'
import { stem } from '../text/stem.ts'
import type { Token } from '../text/tokens.ts'
import type { Choice } from '../tools/choices.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Scope } from './scope.ts'

/** An enumeration value in the message, with its position. */
export interface ChosenValue {
  value: unknown
  score: number
  at: number
  length: number
}

/** Enumeration values (or examples from a description) in this part of the message, best first. */
export function findChosen(scope: Scope, choices: Choice[], many = false): ChosenValue[] {
  const found: ChosenValue[] = []
  for (const choice of choices) {
    const hit =
      locate(scope, choice.stems, String(choice.value).toLowerCase(), true) ??
      (choice.alias && locate(scope, choice.alias, '', false))
    if (hit) found.push({ value: choice.value, ...hit, length: choice.stems.length })
  }
  found.sort((a, b) => b.score - a.score || a.at - b.at)
  const sure = !many && found.some(isExact) ? found.filter(isExact) : found
  return withoutContained(sure, choices)
}

/** True if the word itself matches, not just its stem. For a choice of several words, matching stems suffice. */
export function isExact({ score }: ChosenValue): boolean {
  return score % 0.5 === 0 && score >= 2
}

/** Finds all stems of a choice close together. Related words score lower. */
function locate(
  scope: Scope,
  stems: string[],
  text: string,
  loose: boolean,
): { score: number; at: number } | undefined {
  if (stems.length === 0) return undefined
  const { tokens } = scope.analysis
  const short = stems.length === 1 && stems[0]!.length < 2
  for (let at = scope.from; at < scope.to; at++) {
    if (!matches(scope, at, stems[0]!)) continue
    if ((short && !standsAlone(scope, at)) || isInsideQuote(scope, at, stems.length)) continue
    if (!isFollowedBy(scope, at, stems)) continue
    const exact = isSameWord(tokens[at]!.lower, text.split(/[ _]/)[0]!) ? 0.5 : 0
    return { score: 1 + stems.length * 0.5 + exact, at }
  }
  if (!loose || short) return undefined
  for (let at = scope.from; at < scope.to; at++) {
    const token = tokens[at]!
    if (token.kind !== 'word' || GENERIC_WORDS.has(token.lower) || isInsideQuote(scope, at, 1)) continue
    if (stems.length === 1 && token.stems.some(part => areRelated(part, stems[0]!))) return { score: 0.6, at }
  }
  return undefined
}

function matches(scope: Scope, at: number, part: string): boolean {
  const token = scope.analysis.tokens[at]!
  return token.kind === 'number' ? token.text === part : token.stems.includes(part)
}

/** True inside a longer quoted text. A word in it is not a choice. */
function isInsideQuote({ analysis }: Scope, at: number, length: number): boolean {
  const owner = analysis.owners[at]
  return owner?.kind === 'quoted' && owner.to - owner.from - 2 > length
}

/** True if a single letter is capitalized or quoted. Otherwise it is not a choice. */
function standsAlone(scope: Scope, at: number): boolean {
  const token = scope.analysis.tokens[at]!
  return (
    token.capital ||
    scope.analysis.mentions.some(
      mention => mention.kind === 'quoted' && mention.from <= at && at < mention.to,
    )
  )
}

function isFollowedBy(scope: Scope, start: number, stems: string[]): boolean {
  const { tokens } = scope.analysis
  let at = start
  let within = tokens[at]!.stems.length > 1 ? tokens[at]!.stems : []
  for (const part of stems.slice(1)) {
    if (within.includes(part)) continue
    at++
    while (at < scope.to && (tokens[at]!.kind === 'mark' || tokens[at]!.lower === 'and') && at < start + 8)
      at++
    if (at >= scope.to || !matches(scope, at, part)) return false
    within = tokens[at]!.stems
  }
  return true
}

/** Removes "real" when "real estate" matches at the same position. */
function withoutContained(found: ChosenValue[], choices: Choice[]): ChosenValue[] {
  const sizes = new Map(choices.map(choice => [choice.value, choice.stems.length]))
  return found.filter(
    (hit, i) =>
      !found
        .slice(0, i)
        .some(other => other.at <= hit.at && hit.at < other.at + (sizes.get(other.value) ?? 1)),
  )
}

/** True when the message mentions the flag, false when it negates it, otherwise undefined. */
export function readFlag(scope: Scope, parameter: Parameter): { value: boolean; at: number } | undefined {
  const wanted = parameter.nameStems.filter(part => !FLAG_WORDS.has(part))
  if (wanted.length === 0) return undefined
  const hits = wanted.map(part => findStem(scope, part)).filter(at => at >= 0)
  const enough = parameter.required ? 1 : Math.max(1, Math.ceil(wanted.length * 0.6))
  if (hits.length < enough) return undefined
  return { value: !hits.some(at => isNegated(scope, at)), at: hits[0]! }
}

const FLAG_WORDS = new Set(
  'is has includ show get enabl allow want with use flag return need do should add as only requir be in of all for optional option inform data'.split(
    ' ',
  ),
)

function findStem(scope: Scope, part: string): number {
  const { tokens } = scope.analysis
  for (let at = scope.from; at < scope.to; at++) {
    if (tokens[at]!.stems.includes(part) || joinedStem(tokens[at]!) === part) return at
  }
  return -1
}

/** Stem without the hyphen, because "multi-player" is also spelled "multiplayer". */
function joinedStem({ lower }: Token): string | undefined {
  return lower.includes('-') ? stem(lower.replaceAll('-', '')) : undefined
}

/** True for the same word in singular or plural. */
function isSameWord(a: string, b: string): boolean {
  return a === b || a === `${b}s` || `${a}s` === b
}

const NEGATIONS = new Set([
  'not',
  'no',
  'without',
  'exclude',
  'excluding',
  "don't",
  "doesn't",
  'skip',
  'avoid',
  'never',
  'disable',
  'disabled',
  'omit',
  'non',
])

function isNegated(scope: Scope, at: number): boolean {
  const { tokens } = scope.analysis
  for (let i = at - 1; i >= Math.max(scope.from, at - 5); i--) {
    if (tokens[i]!.sentence !== tokens[at]!.sentence || tokens[i]!.text === ',') return false
    if (NEGATIONS.has(tokens[i]!.lower)) return true
  }
  return false
}
