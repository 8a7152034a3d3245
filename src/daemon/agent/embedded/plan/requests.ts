import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import type { Analysis } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import { rankTools } from '../tools/rank.ts'
import type { Signature } from '../tools/signature.ts'
import { cutClauses } from './clauses.ts'
import { cutPieces, type Piece } from './pieces.ts'
import { weigh } from './weigh.ts'

/** A part of the message that asks for one tool. */
export interface Request {
  signature: Signature
  stretch: Piece
  score: number
}

/** Minimum score of a clause, absolute and relative to the best clause of the message. */
const MIN_MATCH = { score: 0.35, share: 0.55 }

/** The tools that the message asks for, with the parts that ask for them. */
export function findRequests(analysis: Analysis, signatures: Signature[]): Request[] {
  const whole = { from: 0, to: analysis.tokens.length }
  const [best] = weigh(analysis, whole, rankTools(analysis, signatures))
  if (!best) return []
  if (signatures.length === 1) return [{ ...best, stretch: whole }]
  const choices = cutClauses(analysis).map(clause => ({
    clause,
    chosen: chooseTools(analysis, signatures, clause),
  }))
  const top = Math.max(best.score, ...choices.flatMap(({ chosen }) => chosen.map(({ score }) => score)))
  const asked = choices.map(({ clause, chosen }, i) => ({
    clause,
    leadsOn: leadsOn(analysis, clause, choices[i + 1]?.clause),
    chosen: chosen.filter(({ score }) => score >= MIN_MATCH.score && score >= MIN_MATCH.share * top),
  }))
  const requests = joinClauses(asked)
  if (requests.length === 0) return [{ ...best, stretch: whole }]
  const only = requests.every(({ signature }) => signature === requests[0]!.signature)
  return only ? [{ ...bestOfWhole(analysis, signatures, requests[0]!), stretch: whole }] : requests
}

/**
 * Replaces the only requested tool if another one fits the whole message better. Unlike a clause, the message has all values.
 */
function bestOfWhole(analysis: Analysis, signatures: Signature[], found: Request): Request {
  const ranked = rankTools(analysis, signatures)
  const reached = ranked.find(({ signature }) => signature === found.signature)!.score
  const contenders = ranked.filter(({ score }) => score >= CLOSE_ENOUGH * reached)
  const [best] = weigh(analysis, { from: 0, to: analysis.tokens.length }, contenders)
  return best && best.signature !== found.signature
    ? { ...found, ...best, score: Math.max(best.score, found.score) }
    : found
}

const CLOSE_ENOUGH = 0.75

interface ClauseRequests {
  clause: Piece
  chosen: Request[]
  /**
   * True if the clause's sentence continues in the next clause, or if the clause introduces something new: "Second, I have
   * two numbers".
   */
  leadsOn: boolean
}

/**
 * Joins consecutive clauses that ask for the same tool. A clause without a tool belongs to the next request if it introduces
 * that request, otherwise to the previous one.
 */
function joinClauses(asked: ClauseRequests[]): Request[] {
  const requests: Request[] = []
  let waiting: Piece | undefined
  asked.forEach(({ clause, chosen, leadsOn }, i) => {
    const last = requests.at(-1)
    const isNext = asked[i + 1] !== undefined && (leadsOn || waiting !== undefined || !last)
    if (chosen.length === 0 && isNext) waiting = { from: waiting?.from ?? clause.from, to: clause.to }
    else if (chosen.length === 0) extend(requests, clause)
    else if (chosen.length === 1 && last && waiting === undefined && continuesRequest(last, chosen[0]!)) {
      last.stretch = { from: last.stretch.from, to: chosen[0]!.stretch.to }
      last.score = Math.max(last.score, chosen[0]!.score)
    } else {
      const from = waiting?.from
      requests.push(
        ...chosen.map((request, at) =>
          at === 0 && from !== undefined ? startingAt(request, from) : request,
        ),
      )
      waiting = undefined
    }
  })
  if (waiting && requests.length > 0) extend(requests, waiting)
  return requests
}

function continuesRequest(last: Request, next: Request): boolean {
  return last.signature === next.signature && last.stretch.to === next.stretch.from
}

function startingAt(request: Request, from: number): Request {
  return { ...request, stretch: { from, to: request.stretch.to } }
}

function extend(requests: Request[], clause: Piece): void {
  for (const request of requests)
    if (request.stretch.to === clause.from) request.stretch = { ...request.stretch, to: clause.to }
}

const BEGINNINGS = new Set(
  'first firstly second secondly third thirdly next then additionally furthermore lastly finally after imagine'.split(
    ' ',
  ),
)

function leadsOn({ tokens }: Analysis, clause: Piece, next: Piece | undefined): boolean {
  if (next && tokens[next.from]!.sentence === tokens[clause.to - 1]!.sentence) return true
  return BEGINNINGS.has(tokens[clause.from]!.lower)
}

/** The best tool for a clause, and others whose distinctive words are all in the clause. */
function chooseTools(analysis: Analysis, signatures: Signature[], clause: Piece): Request[] {
  const ranked = weigh(analysis, clause, rankTools(analysis, signatures, clause.from, clause.to))
  const [best, ...others] = ranked
  const mentioned = stemsIn(analysis, clause)
  const also = others.filter(
    ({ signature, score }) =>
      score > 0.6 * best!.score && isNamed(signature, signatures, mentioned, best!.signature),
  )
  const chosen = [best!, ...also].map(({ signature, score }) => ({ signature, score, stretch: clause }))
  return chosen.length > 1 ? divide(analysis, clause, chosen) : chosen
}

function stemsIn(analysis: Analysis, { from, to }: Piece): Set<string> {
  const words = analysis.tokens.slice(from, to).filter((_, i) => !analysis.owners[from + i])
  return new Set(words.flatMap(token => token.stems))
}

const GENERIC_STEMS = new Set([...GENERIC_WORDS, ...FUNCTION_WORDS].map(stem))

/**
 * True if the clause contains the distinctive stems of the tool's name (all but one if there are many) and not only stems of
 * the best tool.
 */
function isNamed(
  signature: Signature,
  all: Signature[],
  mentioned: ReadonlySet<string>,
  best: Signature,
): boolean {
  const own = ownStems(signature, all)
  const hits = own.filter(part => mentioned.has(part))
  if (hits.length === 0 || hits.length < (own.length > 2 ? own.length - 1 : own.length)) return false
  return hits.some(part => !best.nameStems.includes(part))
}

/** Stems of the name that some other tool lacks. */
function ownStems(signature: Signature, all: Signature[]): string[] {
  return signature.nameStems.filter(
    part =>
      !GENERIC_STEMS.has(part) && all.some(other => other !== signature && !other.nameStems.includes(part)),
  )
}

/** Stems of the name that no other tool has. If there are none, stems that some other tool lacks. */
function uniqueStems(signature: Signature, all: Signature[]): string[] {
  const own = ownStems(signature, all)
  const unique = own.filter(part => !all.some(other => other !== signature && other.nameStems.includes(part)))
  return unique.length > 0 ? unique : own
}

/** Assigns the pieces of a clause to the tools they name: "the weather in Paris, news on football and the weather in Rome". */
function divide(analysis: Analysis, clause: Piece, chosen: Request[]): Request[] {
  const signatures = chosen.map(({ signature }) => signature)
  const own = new Map(signatures.map(signature => [signature, uniqueStems(signature, signatures)]))
  const spoken = stemsIn(analysis, clause)
  if (!own.get(chosen[0]!.signature)!.some(part => spoken.has(part))) return [chosen[0]!]
  const divided: Request[] = []
  let current: Request[] = []
  for (const piece of cutPieces(analysis, clause.from, clause.to)) {
    const mentioned = stemsIn(analysis, piece)
    const named = chosen.filter(({ signature }) => own.get(signature)!.some(part => mentioned.has(part)))
    const kept = named.filter(
      request =>
        request === named[0] ||
        isListed(analysis, piece, own.get(named[0]!.signature)!, own.get(request.signature)!),
    )
    const same =
      kept.length === current.length &&
      kept.every((request, i) => current[i]?.signature === request.signature)
    if (kept.length > 0 && !same) {
      const from = current.length === 0 ? clause.from : piece.from
      current = kept.map(request => ({ ...request, stretch: { from, to: piece.to } }))
      divided.push(...current)
    } else for (const request of current) request.stretch = { ...request.stretch, to: piece.to }
  }
  return divided.length > 0 ? divided : [chosen[0]!]
}

/** True if one piece names both tools with a joining word in between: "the temperature and the humidity". */
function isListed(analysis: Analysis, { from, to }: Piece, first: string[], own: string[]): boolean {
  const at = (stems: string[]) =>
    analysis.tokens.findIndex(
      (token, i) => i >= from && i < to && token.stems.some(part => stems.includes(part)),
    )
  const [start, end] = [at(first), at(own)].sort((a, b) => a - b)
  return analysis.tokens.slice(start! + 1, end).some(token => JOINTS.has(token.lower))
}

const JOINTS = new Set(['and', ',', 'or', 'also', 'plus', '&'])
