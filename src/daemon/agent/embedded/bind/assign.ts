import type { Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { isAllowed } from './allowed.ts'
import { fitMention } from './fit.ts'
import { isDated } from './fit-date.ts'
import { asksTime } from './format-date.ts'
import type { Scope } from './scope.ts'

/** One mention, or several that form a list for one parameter. */
export interface Candidate {
  members: Mention[]
  from: number
  to: number
}

export interface BoundParameter {
  parameter: Parameter
  candidate: Candidate
  /** One value per call: the whole list for an array parameter, otherwise one member of the list. */
  values: unknown[]
  score: number
  part?: 'core' | 'region'
  /** The nth value goes to the nth call, together with the nth values of the other dealt parameters. */
  dealt?: boolean
}

/** Minimum scores. An optional parameter needs a word that names it, or a value of a specific kind. */
const MIN_SCORE = { required: 0.15, optional: 1.55 }

/**
 * Assigns candidates to parameters with the highest total score, using each word once. Runs a beam search in the order of the
 * parameters. With equal scores the earlier mention goes to the earlier parameter.
 */
export function assign(scope: Scope, parameters: Parameter[], candidates: Candidate[]): BoundParameter[] {
  let states: State[] = [{ bound: [], score: 0 }]
  for (const parameter of parameters) {
    const options = optionsFor(scope, parameter, candidates)
    const next = states.flatMap(state => [
      ...options
        .filter(option => !state.bound.some(other => excludes(other, option)))
        .map(option => extend(state, option)),
      state,
    ])
    states = next.sort((a, b) => b.score - a.score).slice(0, BEAM_WIDTH)
  }
  return inOrder(scope, states[0]!.bound)
}

/** Maximum score given up to keep numbered parameters in order. Their order is more reliable than nearby words. */
const COST_OF_ORDER = 1.3

/** "Yellow and blue" for color1 and color2: without clear cues, the first value goes to the first parameter. */
function inOrder(scope: Scope, bound: BoundParameter[]): BoundParameter[] {
  const result = [...bound]
  for (let i = 0; i < result.length; i++) {
    for (let j = i + 1; j < result.length; j++) {
      const [a, b] = [result[i]!, result[j]!]
      if (!areNumbered(a.parameter, b.parameter) || a.candidate.from < b.candidate.from) continue
      const first = pair(scope, a.parameter, b.candidate)
      const second = pair(scope, b.parameter, a.candidate)
      if (!first || !second || first.score + second.score < a.score + b.score - COST_OF_ORDER) continue
      result[i] = first
      result[j] = second
    }
  }
  return result
}

/** True for a pair such as "city1" and "city2". */
function areNumbered(a: Parameter, b: Parameter): boolean {
  const bare = ({ name }: Parameter) => name.replace(/[0-9]+$/, '')
  return bare(a) === bare(b) && a.name < b.name
}

interface State {
  bound: BoundParameter[]
  score: number
}

const BEAM_WIDTH = 24
const OPTIONS_PER_PARAMETER = 8

/** Added to the score of a required parameter, and subtracted from that of an optional one. */
const REQUIRED_WEIGHT = 1
const COST_OF_OPTIONAL = 0.5

function optionsFor(scope: Scope, parameter: Parameter, candidates: Candidate[]): BoundParameter[] {
  const minScore = parameter.required ? MIN_SCORE.required : MIN_SCORE.optional
  return candidates
    .flatMap(candidate => pair(scope, parameter, candidate) ?? [])
    .filter(({ score, values }) => score >= minScore && values.every(value => isAllowed(parameter, value)))
    .sort((a, b) => b.score - a.score || a.candidate.from - b.candidate.from)
    .slice(0, OPTIONS_PER_PARAMETER)
}

function extend(state: State, option: BoundParameter): State {
  const worth = option.parameter.required ? REQUIRED_WEIGHT : -COST_OF_OPTIONAL
  return { bound: [...state.bound, option], score: state.score + option.score + worth }
}

/** True if both use the same words. Parts of places, quantities and dates may share words. */
function excludes(a: BoundParameter, b: BoundParameter): boolean {
  if (!collide(a.candidate, b.candidate)) return false
  if (a.part && b.part && a.part !== b.part) return false
  if (sharesQuantity(a, b) || sharesQuantity(b, a)) return false
  if (splitsDate(a, b) || splitsDate(b, a)) return false
  const sameDate =
    a.candidate.members[0] === b.candidate.members[0] && a.candidate.members[0]!.kind === 'date'
  return !(sameDate && typeof a.values[0] === 'number' && typeof b.values[0] === 'number')
}

/** True for a mention that gives both a day and a time: "March 3 at 15:30". */
function splitsDate(day: BoundParameter, time: BoundParameter): boolean {
  const { kind, dateTime } = day.candidate.members[0]!
  return (
    kind === 'date' &&
    dateTime!.certain.has('hour') &&
    isDated(day.parameter) &&
    !asksTime(day.parameter) &&
    asksTime(time.parameter)
  )
}

/** True for a number and the name of its unit or currency: "5 km", "100 euros". */
function sharesQuantity(measure: BoundParameter, named: BoundParameter): boolean {
  const { namedRoles } = named.parameter
  return typeof measure.values[0] === 'number' && (namedRoles.has('unit') || namedRoles.has('currency'))
}

export function collide(a: { from: number; to: number }, b: { from: number; to: number }): boolean {
  return a.from < b.to && b.from < a.to
}

function pair(scope: Scope, parameter: Parameter, candidate: Candidate): BoundParameter | undefined {
  if (parameter.type === 'array') return pairArray(scope, parameter, candidate)
  const fits = candidate.members.map(member => fitMention(scope, parameter, member))
  if (fits.some(found => found === undefined)) return undefined
  const many = candidate.members.length > 1
  const score = many ? Math.max(...fits.map(found => found!.score)) + 0.1 : fits[0]!.score
  return { parameter, candidate, values: fits.map(found => found!.value), score, part: fits[0]!.part }
}

/** Fills an array parameter. A literal is the whole array. Other mentions are its items. */
function pairArray(scope: Scope, parameter: Parameter, candidate: Candidate): BoundParameter | undefined {
  if (candidate.members.length === 1) {
    const whole = fitMention(scope, parameter, candidate.members[0]!)
    if (whole) return { parameter, candidate, values: [whole.value], score: whole.score }
  }
  const item = parameter.items ? { ...parameter.items, required: parameter.required } : undefined
  if (!item || item.type === 'array' || item.type === 'object') return undefined
  const fits = candidate.members.map(member => fitMention(scope, item, member))
  if (fits.some(found => found === undefined)) return undefined
  const mean = fits.reduce((sum, found) => sum + found!.score, 0) / fits.length
  const score = Math.max(mean, fits[0]!.score - 0.2) + (fits.length > 1 ? 0.7 : 0)
  return { parameter, candidate, values: [fits.map(found => found!.value)], score }
}
