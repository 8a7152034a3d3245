import { regionOf } from '../lexicon/cities.ts'
import { areRelated } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import { isCountry, isState, stateCode } from '../lexicon/places.ts'
import type { Mention } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import type { Parameter } from '../tools/signature.ts'
import { isDated, isMonth } from './fit-date.ts'
import { scoreOfExample, scoreOfKind } from './kind-score.ts'
import type { Fit, Scope } from './scope.ts'

/** Score of a proper name for a text parameter. */
export function fitName(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  const { roles } = parameter
  if (isDated(parameter) || isMonth(parameter) || roles.has('url') || roles.has('email')) return undefined
  if (roles.has('expression')) return undefined
  const part = partOfPlace(parameter, mention)
  if (part) return part
  let score = parameter.required ? 1.3 : 0.9
  score +=
    scoreOfKind(scope, parameter, mention) +
    scoreOfExample(parameter, mention.text) +
    roleScore(parameter, mention)
  if (isOfTool(scope, mention)) score -= 2.2
  if (parameter.nameStems.some(own => containsWord(scope, mention, own))) score += 1.2
  if (mention.country && parameter.nameStems.includes('countri'))
    return { score: score + 1.5, value: mention.country }
  return { score: score + placeLevel(parameter, mention), value: placeText(parameter, mention) }
}

function roleScore(parameter: Parameter, mention: Mention): number {
  const { roles, namedRoles } = parameter
  let score = 0
  if (isKind(parameter)) score -= mention.place || mention.person ? 1.5 : 0.6
  if (roles.has('place')) score += mention.place ? 1.5 : mention.person ? -0.8 : 0
  else if (mention.place) score -= 0.8
  if (roles.has('person')) score += mention.person ? 1 : 0
  else if (mention.person && roles.has('organization')) score -= 0.5
  if (roles.has('organization') && !mention.person && !mention.place) score += 0.6
  if (namedRoles.has('identifier') && !namedRoles.has('place')) score -= 0.5
  if (roles.has('language') && !mention.country) score -= 1.5
  return score
}

/** Splits "Tokyo, Japan" for separate city and country parameters. */
function partOfPlace({ nameStems, description }: Parameter, mention: Mention): Fit | undefined {
  if (!mention.core || !mention.region) return undefined
  const asks = (...words: string[]) => words.some(word => nameStems.includes(word))
  if (asks('countri') && isCountry(mention.region))
    return { score: 3.5, value: mention.region, part: 'region' }
  if (asks('state') && isState(mention.region)) return { score: 3.5, value: mention.region, part: 'region' }
  if (asks('citi') && !/state|country|e\.g\.?[^.]*,|province/i.test(description))
    return { score: 3.5, value: mention.core, part: 'core' }
  return undefined
}

/** True if the name contains a word such as "museum": "Metropolitan Museum" for museum_name. */
function containsWord({ analysis }: Scope, mention: Mention, part: string): boolean {
  if (part.length < 3 || mention.to - mention.from < 2) return false
  return analysis.tokens
    .slice(mention.from, mention.to)
    .some(token => token.capital && token.stems.some(own => own === part || areRelated(own, part)))
}

/** True for a name that belongs to the tool ("Spotify" for spotify.play) and is not a value. */
function isOfTool(scope: Scope, mention: Mention): boolean {
  const { nameStems, descriptionStems } = scope.signature
  const words = scope.analysis.tokens
    .slice(mention.from, mention.to)
    .filter(token => !FUNCTION_WORDS.has(token.lower))
  const stems = words.flatMap(token => token.stems)
  return stems.length > 0 && stems.every(part => nameStems.includes(part) || descriptionStems.includes(part))
}

/** True for a type, genre or mode, whose values are common words rather than names. */
function isKind(parameter: Parameter): boolean {
  return parameter.nameStems.some(part => KIND_STEMS.has(part))
}

const KIND_STEMS = new Set(
  'type genre category kind style mode format status method color colour material size'.split(' ').map(stem),
)

/** Prefers a country for a country parameter and a state for a state parameter. */
function placeLevel(parameter: Parameter, mention: Mention): number {
  const asks = (word: string) => parameter.nameStems.includes(word)
  const country = isCountry(mention.text)
  if (asks('countri')) return country ? 1 : -1
  if (asks('state')) return isState(mention.text) ? 1 : -1
  return asks('citi') && (country || (isState(mention.text) && mention.text !== 'New York')) ? -1 : 0
}

/** The whole "Austin, TX", or only the city if the parameter asks for one. Adds the state if the parameter asks for both. */
function placeText(parameter: Parameter, mention: Mention): string {
  const { description } = parameter
  const wantsBoth = /state|country|e\.g\.?[^.]*,|province/i.test(description)
  if (parameter.schema.maxLength === 2 || /two-letter/i.test(description))
    return stateCode(mention.text) ?? mention.text
  if (mention.core) return parameter.nameStems.includes('citi') && !wantsBoth ? mention.core : mention.text
  const region = /city and state|[A-Z][a-z]+, [A-Z]{2}\b/.test(description)
    ? stateCode(regionOf(mention.text) ?? '')
    : undefined
  return region ? `${mention.text}, ${region}` : mention.text
}

/** The state or country of a city, for a required parameter without a value. */
export function regionOfCity(parameter: Parameter, values: Iterable<unknown>): string | undefined {
  const state = parameter.nameStems.includes('state')
  if (!state && !parameter.nameStems.includes('countri')) return undefined
  for (const value of values) {
    const region = typeof value === 'string' ? regionOf(value) : undefined
    if (region) return state ? region : isState(region) && region !== 'Georgia' ? 'United States' : region
  }
  return undefined
}
