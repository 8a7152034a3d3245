import { collide } from '../bind/assign.ts'
import { type Binding, bind } from '../bind/bind.ts'
import { mentionsIn, scopeOf } from '../bind/scope.ts'
import type { Analysis, Mention } from '../text/mention.ts'
import type { RankedTool } from '../tools/rank.ts'
import type { Piece } from './pieces.ts'

/** Tools that reach this share of the best score are compared by how they use the values. */
const CLOSE_SHARE = 0.7

/** Share that replaces `CLOSE_SHARE` if the best tool lacks a required value. */
const CLOSE_TO_LACKING = 0.4
const MAX_WEIGHED = 5

const WEIGHT = {
  filled: 0.06,
  chosen: 0.1,
  missing: 0.25,
  leftOver: 0.09,
  oneForSeveral: 0.2,
  severalForOne: 0.08,
}

/** Reorders the close tools at the top of the ranking by how well they use the values of the clause. */
export function weigh(analysis: Analysis, clause: Piece, ranked: RankedTool[]): RankedTool[] {
  const [best] = ranked
  if (!best || best.score === 0) return ranked
  const { from, to } = clause
  const lacks = bind(scopeOf(analysis, best.signature, from, to)).missing.length > 0
  const limit = (lacks ? CLOSE_TO_LACKING : CLOSE_SHARE) * best.score
  const close = ranked.filter(({ score }) => score > 0 && score >= limit).slice(0, MAX_WEIGHED)
  if (close.length < 2) return ranked
  const weighed = close.map(entry => ({ entry, worth: worthOf(analysis, clause, entry) }))
  weighed.sort((a, b) => b.worth - a.worth)
  return [...weighed.map(({ entry }) => entry), ...ranked.filter(entry => !close.includes(entry))]
}

function worthOf(analysis: Analysis, { from, to }: Piece, { signature, score }: RankedTool): number {
  const scope = scopeOf(analysis, signature, from, to)
  const binding = bind(scope)
  const leftOver = mentionsIn(scope).filter(mention => isValue(mention) && !isUsed(mention, binding)).length
  const missing = binding.missing.filter(parameter => parameter.default === undefined).length
  const costs = WEIGHT.missing * missing + WEIGHT.leftOver * Math.min(leftOver, 4)
  const gains = WEIGHT.filled * filling(binding) + WEIGHT.chosen * Math.min(binding.exact.size, 3)
  return score + gains - costs - costOfNumber(binding)
}

function filling({ bound }: Binding): number {
  const scores = bound.filter(({ parameter }) => parameter.required).map(({ score }) => Math.min(score, 5))
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** Cost of a single value for an array parameter, and of several values for a scalar one, because they need several calls. */
function costOfNumber({ bound }: Binding): number {
  const costs = bound.map(({ parameter, candidate }) => {
    const many = candidate.members.length > 1
    if (parameter.type !== 'array') return many ? WEIGHT.severalForOne : 0
    return many || candidate.members[0]!.kind === 'literal' ? 0 : WEIGHT.oneForSeveral
  })
  return Math.max(0, ...costs)
}

const VALUES = new Set(['number', 'quoted', 'code', 'path', 'url', 'email', 'date', 'literal'])

function isValue({ kind, quantity }: Mention): boolean {
  return VALUES.has(kind) && !quantity?.inWords
}

function isUsed(mention: Mention, { bound, used }: Binding): boolean {
  return (
    bound.some(({ candidate }) => collide(candidate, mention)) || used.some(spot => collide(spot, mention))
  )
}
