import { areRelated } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import type { Mention, Quantity } from '../text/mention.ts'
import { identifierWords } from '../text/stem.ts'
import { convert, unitNamed } from '../text/units.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Fit, Scope } from './scope.ts'

/** Score of a number (or a field of a date) for a numeric parameter. */
export function fitNumber(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (mention.kind === 'date') return fitDate(parameter, mention)
  const { quantity } = mention
  if (mention.kind !== 'number' || !quantity) return undefined
  if (quantity.implied && parameter.unit?.dimension !== 'time') return undefined
  const value = valueIn(parameter, quantity)
  if (parameter.type === 'integer' && !Number.isInteger(value)) return undefined
  if (outOfRange(parameter, value)) return undefined
  if (countsOthers(scope, parameter, mention)) return undefined
  const score =
    1 +
    unitScore(parameter, quantity) +
    kindScore(parameter, quantity) +
    placeScore(scope, parameter, mention)
  return { score, value }
}

/** Converts to the parameter's unit. Converts percent to a fraction, unless the parameter asks for percent. */
function valueIn(parameter: Parameter, quantity: Quantity): number {
  const unit = quantity.unit ? unitNamed(quantity.unit) : undefined
  if (unit?.name === 'percent')
    return wantsFraction(parameter, quantity) ? quantity.value / 100 : quantity.value
  if (unit?.name === 'kelvin' && parameter.dimension !== 'temperature') return quantity.value * 1000
  if (!unit || !parameter.unit) return quantity.value
  return unit.dimension === 'money' ? quantity.value : convert(quantity.value, unit, parameter.unit)
}

function wantsFraction(parameter: Parameter, quantity: Quantity): boolean {
  if (parameter.type === 'integer') return false
  const text = parameter.description.toLowerCase()
  if (/decimal|fraction|0 (?:to|and|-) 1|0\.\d/.test(text)) return true
  if ((parameter.schema.maximum ?? 0) > 1) return false
  return !/percent|%/.test(text) && Math.abs(quantity.value) <= 1000
}

/** True if the number counts things that the parameter is not about, such as "two triangles". */
function countsOthers(scope: Scope, parameter: Parameter, mention: Mention): boolean {
  const { quantity } = mention
  if (!quantity!.inWords || quantity!.ordinal || quantity!.unit) return false
  const next = scope.analysis.tokens
    .slice(mention.to, mention.to + 2)
    .filter(token => token.kind === 'word' && !FUNCTION_WORDS.has(token.lower))
  if (next.length === 0) return false
  const counters = scope.signature.parameters.filter(({ namedRoles }) => namedRoles.has('count'))
  if (counters.length > 1 && counters.includes(parameter)) return true
  if (parameter.roles.has('count')) return false
  const stems = next.flatMap(token => token.stems)
  if (!parameter.name.toLowerCase().endsWith('s')) return true
  const named = scope.signature.parameters.filter(({ nameStems }) =>
    stems.some(part => nameStems.includes(part)),
  )
  if (named.length > 1) return true
  return !stems.some(
    part => parameter.nameStems.includes(part) || parameter.nameStems.some(own => areRelated(own, part)),
  )
}

function outOfRange(parameter: Parameter, value: number): boolean {
  const { minimum, maximum } = parameter.schema
  return (minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)
}

function unitScore(parameter: Parameter, quantity: Quantity): number {
  const unit = quantity.unit ? unitNamed(quantity.unit) : undefined
  if (!unit || (unit.name === 'kelvin' && parameter.dimension !== 'temperature')) return 0
  if (unit.name === 'degree' && parameter.dimension === 'temperature') return 2
  if (parameter.unit) {
    if (parameter.unit === unit) return 3
    return parameter.unit.dimension === unit.dimension ? 2 : -3
  }
  if (parameter.dimension) return parameter.dimension === unit.dimension ? 2 : -2.5
  if (unit.dimension === 'amount') return parameter.namedRoles.has('count') ? 0.5 : 0
  if (parameter.namedRoles.has('count') || parameter.namedRoles.has('year')) return -2
  return 0
}

const YEARS = { from: 1000, to: 2100 }

function looksLikeYear({ value, unit, ordinal }: Quantity): boolean {
  return !unit && !ordinal && Number.isInteger(value) && value >= YEARS.from && value <= YEARS.to
}

function kindScore(parameter: Parameter, quantity: Quantity): number {
  const asksYear = isYearParameter(parameter)
  let score = 0
  if (asksYear) score += looksLikeYear(quantity) ? 2.5 : -2
  if (quantity.ordinal) score += ordinalScore(parameter, quantity)
  if (quantity.implied) score -= 0.8
  if (quantity.inWords && !quantity.ordinal && parameter.roles.has('count')) score += 0.4
  return score
}

/** Centuries, ranks and days use ordinals. In "the second circle", the ordinal only selects a circle. */
function ordinalScore({ roles, namedRoles }: Parameter, { inWords }: Quantity): number {
  if (namedRoles.has('ordinal')) return 1.5
  if (inWords) return -4
  return roles.has('ordinal') || roles.has('year') ? 1.5 : -1.5
}

/** True for a parameter that asks for a calendar year, false for a number of years. */
function isYearParameter(parameter: Parameter): boolean {
  if (
    parameter.name.toLowerCase().endsWith('years') ||
    /number of|duration|how many|period|term/i.test(parameter.description)
  )
    return false
  return parameter.namedRoles.has('year') || /(?<!per )\byear\b/i.test(parameter.description.slice(0, 40))
}

/** Score of the words next to a number: "in 2010" and "year 1510" name years, and "3 articles" is a count. */
function placeScore(scope: Scope, parameter: Parameter, mention: Mention): number {
  const before = scope.analysis.tokens[mention.from - 1]?.lower ?? ''
  const after = scope.analysis.tokens[mention.to]?.lower ?? ''
  if (isYearParameter(parameter) && (ERAS.has(after) || before === 'year'))
    return looksLikeYear(mention.quantity!) ? 1 : 4.5
  if (parameter.roles.has('count') && countsThings(scope, mention)) return 0.6
  if (!looksLikeYear(mention.quantity!) || isYearParameter(parameter)) return 0
  return ['in', 'year', 'since', 'during'].includes(before) ? -1.5 : 0
}

/** True for a number of things: "3 articles". */
export function countsThings({ analysis }: Scope, mention: Mention): boolean {
  const next = analysis.tokens[mention.to]
  const plural = next?.kind === 'word' && next.lower.endsWith('s') && !FUNCTION_WORDS.has(next.lower)
  return plural && !mention.quantity!.unit && !mention.quantity!.ordinal
}

const ERAS = new Set(['ad', 'a.d', 'ce', 'c.e', 'bc', 'bce', 'b.c'])

function fitDate(parameter: Parameter, { dateTime }: Mention): Fit | undefined {
  const words = identifierWords(parameter.name)
  const field = FIELDS.find(name => words.includes(name) || (CLOCK.has(name) && words.includes(`${name}s`)))
  if (isYearParameter(parameter))
    return dateTime?.certain.has('year') ? { score: 2, value: dateTime.year } : undefined
  if (!field || field === 'year' || !dateTime?.certain.has(field)) return undefined
  return { score: 2.5, value: dateTime[field] }
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
const CLOCK = new Set<string>(['hour', 'minute', 'second'])
