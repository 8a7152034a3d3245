import { collide } from '../bind/assign.ts'
import { type Binding, bind } from '../bind/bind.ts'
import { mentionsIn, scopeOf } from '../bind/scope.ts'
import type { Analysis, Mention } from '../text/mention.ts'
import type { Ranked } from '../tools/rank.ts'
import type { Piece } from './pieces.ts'

/** Tools that name about as much of a clause as the best one are told apart by what they make of its values. */
const CLOSE = 0.7

/** When the best one lacks something, others further off are looked at as well. */
const CLOSE_TO_LACKING = 0.4
const MOST_WEIGHED = 5

const WEIGHT = { filled: 0.06, missing: 0.25, leftOver: 0.09, wrongNumber: 0.15 }

/** The ranking, with the close ones at its top in the order in which they use the values of the clause. */
export function weigh(analysis: Analysis, clause: Piece, ranked: Ranked[]): Ranked[] {
  const [best] = ranked
  if (!best || best.score === 0) return ranked
  const { from, to } = clause
  const lacks = bind(scopeOf(analysis, best.signature, from, to)).missing.length > 0
  const limit = (lacks ? CLOSE_TO_LACKING : CLOSE) * best.score
  const close = ranked.filter(({ score }) => score > 0 && score >= limit).slice(0, MOST_WEIGHED)
  if (close.length < 2) return ranked
  const weighed = close.map(entry => ({ entry, worth: worthOf(analysis, clause, entry) }))
  weighed.sort((a, b) => b.worth - a.worth)
  return [...weighed.map(({ entry }) => entry), ...ranked.filter(entry => !close.includes(entry))]
}

function worthOf(analysis: Analysis, { from, to }: Piece, { signature, score }: Ranked): number {
  const scope = scopeOf(analysis, signature, from, to)
  const binding = bind(scope)
  const leftOver = mentionsIn(scope).filter(mention => isValue(mention) && !isUsed(mention, binding)).length
  const missing = binding.missing.filter(parameter => parameter.default === undefined).length
  const costs = WEIGHT.missing * missing + WEIGHT.leftOver * Math.min(leftOver, 4)
  return (
    score + WEIGHT.filled * filling(binding) - costs - (isOfWrongNumber(binding) ? WEIGHT.wrongNumber : 0)
  )
}

function filling({ bound }: Binding): number {
  const scores = bound.filter(({ parameter }) => parameter.required).map(({ score }) => Math.min(score, 5))
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** One value for a parameter of many, or several for a parameter of one. */
function isOfWrongNumber({ bound }: Binding): boolean {
  return bound.some(({ parameter, candidate }) => {
    const many = candidate.members.length > 1
    return parameter.type === 'array' ? !many && candidate.members[0]!.kind !== 'literal' : many
  })
}

const VALUES = new Set(['number', 'quoted', 'code', 'path', 'url', 'email', 'moment', 'literal'])

function isValue({ kind, quantity }: Mention): boolean {
  return VALUES.has(kind) && !quantity?.inWords
}

function isUsed(mention: Mention, { bound, used }: Binding): boolean {
  return (
    bound.some(({ candidate }) => collide(candidate, mention)) || used.some(spot => collide(spot, mention))
  )
}
