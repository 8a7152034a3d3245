import { areRelated } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { isMember } from '../lexicon/kinds.ts'
import { isCountry, isState } from '../lexicon/places.ts'
import { isYearRange } from '../text/codes.ts'
import type { Mention } from '../text/mention.ts'
import { textOf } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import type { Token } from '../text/tokens.ts'
import { unitNamed, unitOf } from '../text/units.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Fit } from './fit.ts'
import type { Scope } from './scope.ts'
import { writeMoment } from './write-moment.ts'

/** How well a mention serves a parameter of text. */
export function fitText(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (parameter.namedRoles.has('unit')) return fitUnit(scope, parameter, mention)
  if (parameter.namedRoles.has('currency')) return fitCurrency(parameter, mention)
  switch (mention.kind) {
    case 'quoted':
      return {
        score: (parameter.required ? 2.6 : 1.5) - (isDated(parameter) ? 3 : 0),
        value: parameter.roles.has('expression') ? algebra(mention.text) : mention.text,
      }
    case 'url':
      return { score: parameter.roles.has('url') ? 4 : 0.6, value: mention.text }
    case 'email':
      return {
        score: parameter.roles.has('email') ? 4 : parameter.roles.has('person') ? 1.5 : 0.2,
        value: mention.text,
      }
    case 'path':
      return { score: parameter.roles.has('path') ? 3.5 : 0.8, value: mention.text }
    case 'code':
      return fitCode(parameter, mention)
    case 'expression':
      return { score: parameter.roles.has('expression') ? 3.5 : -1, value: algebra(mention.text) }
    case 'number':
      return fitNumberText(parameter, mention)
    case 'moment':
      return fitMomentText(parameter, mention)
    case 'name':
      return fitName(scope, parameter, mention)
    case 'phrase':
      return fitPhrase(scope, parameter, mention)
    default:
      return undefined
  }
}

/** Units are named by their own words only. */
function fitUnit(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (mention.kind === 'number')
    return parameter.required || parameter.side ? fitUnitOfNumber(scope, mention) : undefined
  const word = mention.text.split(' ').at(-1) ?? ''
  const unit = mention.kind === 'phrase' || mention.kind === 'name' ? unitOf(word) : undefined
  if (!unit || (parameter.dimension && parameter.dimension !== unit.dimension)) return undefined
  return { score: 2.5, value: mention.text }
}

/** "10 kilometers" names a unit beside its number. */
function fitUnitOfNumber({ analysis }: Scope, mention: Mention): Fit | undefined {
  const { unit } = mention.quantity!
  if (!unit || unitNamed(unit)!.dimension === 'money' || unit === 'percent') return undefined
  const start = mention.to - 1
  const first = analysis.tokens.findIndex(
    (token, at) => at > mention.from && at <= start && token.kind === 'word',
  )
  return first < 0
    ? undefined
    : { score: 1.4, value: textOf(analysis.text, analysis.tokens, first, mention.to) }
}

/** Currencies go by their codes. */
function fitCurrency(parameter: Parameter, mention: Mention): Fit | undefined {
  if (mention.kind === 'currency') return { score: 3, value: mention.code }
  return mention.kind === 'quoted' && parameter.required ? { score: 1, value: mention.text } : undefined
}

function fitCode(parameter: Parameter, mention: Mention): Fit {
  const value = mention.text
  if (isYearRange(value)) return { score: parameter.roles.has('year') ? 3.5 : -0.5, value }
  if (isDated(parameter)) return { score: -2, value }
  return { score: parameter.roles.has('identifier') ? 2.8 : 0.9, value }
}

function isDated(parameter: Parameter): boolean {
  return parameter.roles.has('date') || ['date', 'date-time', 'time'].includes(parameter.schema.format ?? '')
}

/** Formulas are written with "**" for powers, as most languages that evaluate them want it. */
function algebra(text: string): string {
  return text.replaceAll('^', '**').replaceAll('²', '**2').replaceAll('³', '**3')
}

function fitNumberText(parameter: Parameter, mention: Mention): Fit | undefined {
  const { quantity } = mention
  const bare = mention.text.replaceAll(',', '')
  if (parameter.roles.has('identifier') && !quantity!.unit) return { score: 1.5, value: bare }
  if (parameter.roles.has('year') && !quantity!.unit && bare.length === 4) return { score: 2, value: bare }
  if (parameter.namedRoles.has('time') || parameter.dimension === 'time')
    return { score: 0.3, value: mention.text }
  return quantity!.unit ? { score: -0.6, value: mention.text } : { score: -1, value: bare }
}

function fitMomentText(parameter: Parameter, mention: Mention): Fit | undefined {
  const { certain, relative } = mention.moment!
  if (isMonth(parameter))
    return certain.has('month') ? { score: 3, value: monthWord(mention.text) } : undefined
  const timed = parameter.roles.has('time') || parameter.schema.format === 'time'
  if (!isDated(parameter) && !timed && !parameter.roles.has('year')) return undefined
  const hasDate = certain.has('day') || certain.has('month') || relative
  const score = isDated(parameter) ? (hasDate ? 3 : 1) : certain.has('hour') ? 3 : 0.5
  return { score, value: writeMoment(parameter, mention) }
}

function isMonth(parameter: Parameter): boolean {
  return parameter.name.toLowerCase().endsWith('month')
}

/** "March 2021" names a month and a year. */
function monthWord(text: string): string {
  return text.split(' ').find(word => /^[a-z]{3,}/i.test(word)) ?? text
}

function fitName(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  const { roles } = parameter
  if (isDated(parameter) || roles.has('url') || roles.has('email') || roles.has('expression'))
    return undefined
  let score = parameter.required ? 1.3 : 0.9
  if (isKind(parameter)) score -= mention.place || mention.person ? 1.5 : 0.6
  score += kinship(scope, parameter, mention) + suggested(parameter, mention.text)
  if (roles.has('place')) score += mention.place ? 1.5 : mention.person ? -0.8 : 0
  else if (mention.place) score -= 0.8
  if (roles.has('person')) score += mention.person ? 1 : 0
  else if (mention.person && roles.has('organization')) score -= 0.5
  if (roles.has('organization') && !mention.person && !mention.place) score += 0.6
  if (isOfTool(scope, mention)) score -= 2.2
  if (parameter.namedRoles.has('identifier') && !parameter.namedRoles.has('place')) score -= 0.5
  if (parameter.nameStems.some(part => bears(scope, mention, part))) score += 1.2
  if (mention.country && parameter.nameStems.includes('countri'))
    return { score: score + 1.5, value: mention.country }
  return { score: score + placeLevel(parameter, mention), value: placeText(parameter, mention) }
}

/** "Metropolitan Museum" for museum_name. */
function bears({ analysis }: Scope, mention: Mention, part: string): boolean {
  if (part.length < 3 || mention.to - mention.from < 2) return false
  return analysis.tokens
    .slice(mention.from, mention.to)
    .some(token => token.capital && token.stems.some(own => own === part || areRelated(own, part)))
}

/** A name that the tool bears itself ("Spotify" for spotify.play) is no value for it. */
function isOfTool(scope: Scope, mention: Mention): boolean {
  const { nameStems, descriptionStems } = scope.signature
  const words = scope.analysis.tokens
    .slice(mention.from, mention.to)
    .filter(token => !FUNCTION_WORDS.has(token.lower))
  const stems = words.flatMap(token => token.stems)
  return stems.length > 0 && stems.every(part => nameStems.includes(part) || descriptionStems.includes(part))
}

/** A well-known member of the kind that the parameter asks for: "magenta" for a color. */
function kinship(
  scope: Scope,
  parameter: Parameter,
  { from, to }: Mention | { from: number; to: number },
): number {
  const stems = scope.analysis.tokens.slice(from, to).flatMap(token => token.stems)
  const asked = [...parameter.nameStems, ...parameter.descriptionStems.slice(0, 4)]
  if (asked.some(kind => stems.some(part => isMember(kind, part)))) return 1.2
  return parameter.nameStems.some(kind => isMember(kind, '') === false) ? -0.3 : 0
}

/** The very word that the description gives as an example. */
function suggested(parameter: Parameter, text: string): number {
  const lower = text.toLowerCase()
  return parameter.suggestions.some(({ value }) => String(value).toLowerCase() === lower) ? 1.5 : 0
}

/** Types, genres and modes are common words, seldom names. */
function isKind(parameter: Parameter): boolean {
  return parameter.nameStems.some(part => KIND_STEMS.has(part))
}

const KIND_STEMS = new Set(
  'type genre category kind style mode format status method color colour material size'.split(' ').map(stem),
)

/** Countries for countries, states for states. */
function placeLevel(parameter: Parameter, mention: Mention): number {
  const asks = (word: string) => parameter.nameStems.includes(word)
  const country = isCountry(mention.text)
  if (asks('countri')) return country ? 1 : -1
  if (asks('state')) return isState(mention.text) ? 1 : -1
  return asks('citi') && (country || (isState(mention.text) && mention.text !== 'New York')) ? -1 : 0
}

/** "Austin, TX" as a whole, unless the parameter asks for the city alone. */
function placeText(parameter: Parameter, mention: Mention): string {
  if (!mention.core) return mention.text
  const wantsBoth = /state|country|e\.g\.?[^.]*,|province/i.test(parameter.description)
  return parameter.nameStems.includes('citi') && !wantsBoth ? mention.core : mention.text
}

function fitPhrase(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  const { roles, namedRoles } = parameter
  if (isDated(parameter) || roles.has('url') || roles.has('email') || roles.has('expression'))
    return undefined
  const [from, to] = trimmed(scope, mention)
  if (from >= to) return { score: -1.2, value: mention.text }
  const { text, tokens } = scope.analysis
  let score = 0.3 + newness(scope, tokens.slice(from, to))
  score +=
    kinship(scope, parameter, { ...mention, from, to }) + suggested(parameter, textOf(text, tokens, from, to))
  score += properScore(scope, parameter, mention)
  if (namedRoles.has('year')) score -= 1
  if (namedRoles.has('identifier') || namedRoles.has('path')) score -= 0.8
  if (!parameter.required) score -= 0.3
  if (mention.to - mention.from > 5) score -= 0.5
  return { score, value: textOf(text, tokens, from, to) }
}

/** Who asks for a place or a person seldom means a common noun; unless the tagger knows it for one in small letters. */
function properScore({ analysis }: Scope, { roles }: Parameter, { from, to }: Mention): number {
  const tagged = (tag: string) => analysis.tags.slice(from, to).some(tags => tags.has(tag))
  if (roles.has('place')) return tagged('Place') ? 1.5 : -1.2
  if (roles.has('person')) return tagged('Person') || tagged('FirstName') ? 1 : -1.2
  return roles.has('organization') ? -1 : 0
}

/** Without the words at both ends that only name the tool: "Italian restaurant" for a finder of restaurants. */
function trimmed(scope: Scope, mention: Mention): [number, number] {
  const { tokens } = scope.analysis
  let { from, to } = mention
  const known = (token: Token) =>
    GENERIC_WORDS.has(token.lower) ||
    FUNCTION_WORDS.has(token.lower) ||
    token.stems.every(part => scope.signature.vocabulary.has(part))
  if (tokens.slice(from, to).some(token => token.lower === 'of'))
    return newness(scope, tokens.slice(from, to)) >= 0.5 ? [from, to] : [from, from]
  while (from < to && known(tokens[from]!)) from++
  while (to > from && known(tokens[to - 1]!)) to--
  return [from, to]
}

/** The share of words that the tool does not speak of itself: they are what this request is about. */
function newness(scope: Scope, tokens: Token[]): number {
  const stems = tokens.filter(token => !FUNCTION_WORDS.has(token.lower)).flatMap(token => token.stems)
  if (stems.length === 0) return 0
  return stems.filter(part => !scope.signature.vocabulary.has(part)).length / stems.length
}
