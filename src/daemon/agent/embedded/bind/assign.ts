import type { Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { fitMention } from './fit.ts'
import type { Scope } from './scope.ts'

/** One or more mentions that are taken as a unit: a list that shall fill one parameter. */
export interface Candidate {
  members: Mention[]
  from: number
  to: number
}

export interface Bound {
  parameter: Parameter
  candidate: Candidate
  /** One for each member; an array parameter holds them all, another one is asked once for each. */
  values: unknown[]
  score: number
}

/** Below these a mention is no value: optional parameters need a word that names them or a telling kind. */
const ENOUGH = { required: 0.15, optional: 1.75 }

/** Fills parameters from candidates, the surest pairs first; each word of the message is used once. */
export function assign(scope: Scope, parameters: Parameter[], candidates: Candidate[]): Bound[] {
  const pairs = parameters.flatMap(parameter =>
    candidates.flatMap(candidate => {
      const bound = pair(scope, parameter, candidate)
      return bound && bound.score >= (parameter.required ? ENOUGH.required : ENOUGH.optional) ? [bound] : []
    }),
  )
  return improve(takeBest(pairs, parameters), pairs)
}

function takeBest(pairs: Bound[], parameters: Parameter[]): Bound[] {
  const order = new Map(parameters.map((parameter, i) => [parameter, i]))
  const sorted = [...pairs].sort(
    (a, b) =>
      rank(b) - rank(a) ||
      order.get(a.parameter)! - order.get(b.parameter)! ||
      a.candidate.from - b.candidate.from,
  )
  const taken: Bound[] = []
  for (const bound of sorted) {
    if (!taken.some(other => other.parameter === bound.parameter || excludes(other, bound))) taken.push(bound)
  }
  return taken
}

/** What is required goes first among equals. */
function rank(bound: Bound): number {
  return Math.round((bound.score + (bound.parameter.required ? 0.6 : 0)) * 100)
}

/** Swaps two values where both together fit better so: the greedy choice took the best single pair. */
function improve(taken: Bound[], pairs: Bound[]): Bound[] {
  const lookup = new Map(pairs.map(bound => [key(bound.parameter, bound.candidate), bound]))
  const result = [...taken]
  for (let i = 0; i < result.length; i++) {
    for (let j = i + 1; j < result.length; j++) {
      const a = lookup.get(key(result[i]!.parameter, result[j]!.candidate))
      const b = lookup.get(key(result[j]!.parameter, result[i]!.candidate))
      if (!a || !b || a.score + b.score <= result[i]!.score + result[j]!.score + 0.05) continue
      result[i] = a
      result[j] = b
    }
  }
  return result
}

function key(parameter: Parameter, candidate: Candidate): string {
  return `${parameter.name} ${candidate.from} ${candidate.to} ${candidate.members[0]!.kind}`
}

/** A word is used once; only the fields of one date may go to several numbers. */
function excludes(a: Bound, b: Bound): boolean {
  if (!collide(a.candidate, b.candidate)) return false
  if (sharesQuantity(a, b) || sharesQuantity(b, a)) return false
  const sameMoment =
    a.candidate.members[0] === b.candidate.members[0] && a.candidate.members[0]!.kind === 'moment'
  return !(sameMoment && typeof a.values[0] === 'number' && typeof b.values[0] === 'number')
}

/** "100 euros" gives an amount and a currency, "5 km" a value and a unit. */
function sharesQuantity(measure: Bound, named: Bound): boolean {
  const { namedRoles } = named.parameter
  return typeof measure.values[0] === 'number' && (namedRoles.has('unit') || namedRoles.has('currency'))
}

export function collide(a: { from: number; to: number }, b: { from: number; to: number }): boolean {
  return a.from < b.to && b.from < a.to
}

function pair(scope: Scope, parameter: Parameter, candidate: Candidate): Bound | undefined {
  if (parameter.type === 'array') return pairArray(scope, parameter, candidate)
  const fits = candidate.members.map(member => fitMention(scope, parameter, member))
  if (fits.some(found => found === undefined)) return undefined
  const many = candidate.members.length > 1
  const score = many ? Math.max(...fits.map(found => found!.score)) - 0.1 : fits[0]!.score
  return { parameter, candidate, values: fits.map(found => found!.value), score }
}

/** A literal is the whole array; other mentions are its items. */
function pairArray(scope: Scope, parameter: Parameter, candidate: Candidate): Bound | undefined {
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
