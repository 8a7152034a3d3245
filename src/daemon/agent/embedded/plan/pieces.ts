import type { Analysis } from '../text/mention.ts'
import type { Token } from '../text/tokens.ts'

/** A part of the message. Token indices, end exclusive. */
export interface Piece {
  from: number
  to: number
}

/** Splits the message at sentence ends, commas and joining words, but never inside a value or a list. */
export function cutPieces(analysis: Analysis, from: number, to: number): Piece[] {
  const inside = insideLists(analysis)
  const pieces: Piece[] = []
  let start = from
  for (let at = from; at < to; at++) {
    if (inside[at] || !isCut(analysis.tokens, at, from)) continue
    if (at > start) pieces.push({ from: start, to: at })
    start = at
  }
  if (to > start) pieces.push({ from: start, to })
  return pieces
}

function isCut(tokens: Token[], at: number, from: number): boolean {
  const token = tokens[at]!
  if (at > from && tokens[at - 1]!.sentence !== token.sentence) return true
  return CUTS.has(token.lower)
}

const CUTS = new Set([
  ',',
  ';',
  'and',
  'then',
  'also',
  'while',
  'plus',
  'whereas',
  'another',
  'versus',
  'vs',
  'or',
])

/** True for each token within a list, a value or a name, except the first one. */
function insideLists(analysis: Analysis): boolean[] {
  const inside = analysis.owners.map((owner, at) => owner !== undefined && owner.from < at)
  for (const list of analysis.lists)
    if (list[0]!.kind !== 'literal') inside.fill(true, list[0]!.from + 1, list.at(-1)!.to)
  for (const { kind, from, to } of analysis.mentions) if (kind === 'name') inside.fill(true, from + 1, to)
  return inside
}
