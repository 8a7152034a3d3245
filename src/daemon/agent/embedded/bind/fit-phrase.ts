import { conceptsOf } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { isMember } from '../lexicon/kinds.ts'
import type { Mention } from '../text/mention.ts'
import { textOf } from '../text/mention.ts'
import type { Token } from '../text/tokens.ts'
import type { Parameter } from '../tools/signature.ts'
import { isDated, isMonth } from './fit-date.ts'
import { scoreOfExample, scoreOfKind } from './kind-score.ts'
import type { Fit, Scope } from './scope.ts'

/** Score of common words for a text parameter. Highest for words that the tool itself does not use. */
export function fitPhrase(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  const { roles, namedRoles } = parameter
  if (isDated(parameter) || isMonth(parameter) || roles.has('url') || roles.has('email')) return undefined
  if (roles.has('expression')) return undefined
  const { text, tokens } = scope.analysis
  const [start, end] = trimToolWords(scope, mention)
  if (start >= end) return fitKnown(scope, parameter, mention)
  const [from, to] = narrowToKind(scope, parameter, start, end)
  let score = 0.3 + novelty(scope, tokens.slice(from, to)) + headScore(scope, parameter, from, to)
  score +=
    scoreOfKind(scope, parameter, { from, to }) + scoreOfExample(parameter, textOf(text, tokens, from, to))
  score += properScore(scope, parameter, mention)
  if (namedRoles.has('year') || roles.has('language')) score -= 1
  if (namedRoles.has('identifier') || namedRoles.has('path')) score -= 0.8
  if (!parameter.required) score -= 0.3
  if (mention.to - mention.from > 5) score -= 0.5
  return { score, value: textOf(text, tokens, from, to), spot: { from, to } }
}

/**
 * Score of a phrase that consists of the tool's own words. The words that the parameter does not use may be the value
 * ("renewable energy" for energy_type).
 */
function fitKnown(scope: Scope, parameter: Parameter, mention: Mention): Fit {
  const { text, tokens } = scope.analysis
  const own = (token: Token) =>
    isEmpty(token) ||
    token.stems.every(part => parameter.nameStems.includes(part) || scope.signature.nameStems.includes(part))
  let { from, to } = mention
  while (from < to && own(tokens[from]!)) from++
  while (to > from && own(tokens[to - 1]!)) to--
  const left = from < to && parameter.required && properScore(scope, parameter, mention) === 0
  return left ? { score: -0.3, value: textOf(text, tokens, from, to) } : { score: -1.2, value: mention.text }
}

/** "Rock concerts" contains the genre rock: keeps only the words of the kind that the parameter asks for. */
function narrowToKind(scope: Scope, parameter: Parameter, from: number, to: number): [number, number] {
  const words = scope.analysis.tokens.slice(from, to)
  const belongs = words.map(token =>
    token.stems.some(part => parameter.nameStems.some(kind => isMember(kind, part))),
  )
  const head = words.at(-1)!
  const isThing = head.lower.endsWith('s') || head.stems.some(part => conceptsOf(part).length > 0)
  if (!belongs[0] || belongs.at(-1) || !isThing) return [from, to]
  return [from, from + belongs.indexOf(false)]
}

/** Score for a head noun that the description names: "theory of evolution" for a parameter described as a theory. */
function headScore(scope: Scope, parameter: Parameter, from: number, to: number): number {
  const words = scope.analysis.tokens.slice(from, to)
  const of = words.findIndex(token => token.lower === 'of')
  return of > 0 && words[of - 1]!.stems.some(part => parameter.descriptionStems.includes(part)) ? 1.5 : 0
}

/** Score of a common noun as a place, person or organization. Negative unless the tagger knows it as that place or person. */
function properScore({ analysis }: Scope, { roles }: Parameter, { from, to }: Mention): number {
  const tagged = (tag: string) => analysis.tags.slice(from, to).some(tags => tags.has(tag))
  if (roles.has('place')) return tagged('Place') ? 1.5 : -1.2
  if (roles.has('person')) return tagged('Person') || tagged('FirstName') ? 1 : -1.2
  return roles.has('organization') ? -1.2 : 0
}

/** Removes words of the tool at both ends: "Italian" from "Italian restaurant" for find_restaurants. */
function trimToolWords(scope: Scope, mention: Mention): [number, number] {
  const { tokens } = scope.analysis
  let { from, to } = mention
  const known = (token: Token) =>
    isEmpty(token) || token.stems.every(part => scope.signature.vocabulary.has(part))
  if (tokens.slice(from, to).some(token => token.lower === 'of'))
    return novelty(scope, tokens.slice(from, to)) >= 0.5 ? [from, to] : [from, from]
  while (from < to && known(tokens[from]!)) from++
  while (to > from && known(tokens[to - 1]!)) to--
  return [from, to]
}

function isEmpty({ lower }: Token): boolean {
  return GENERIC_WORDS.has(lower) || FUNCTION_WORDS.has(lower)
}

/** Share of words that the tool itself does not use. Such words are specific to the request. */
export function novelty(scope: Scope, tokens: Token[]): number {
  const stems = tokens.filter(token => !FUNCTION_WORDS.has(token.lower)).flatMap(token => token.stems)
  if (stems.length === 0) return 0
  return stems.filter(part => !scope.signature.vocabulary.has(part)).length / stems.length
}
