import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import type { Analysis } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import { rankTools } from '../tools/rank.ts'
import type { Signature } from '../tools/signature.ts'
import { cutClauses } from './clauses.ts'
import type { Piece } from './pieces.ts'

/** A stretch of the message that asks for one tool. */
export interface Request {
  signature: Signature
  stretch: Piece
  score: number
}

/** A clause asks for a tool when it reaches this, and this share of what the best clause of the message reaches. */
const ENOUGH = { score: 0.35, share: 0.55 }

/** Which tools the message asks for, and where. Clauses that ask for none belong to the request before them. */
export function findRequests(analysis: Analysis, signatures: Signature[]): Request[] {
  const whole = { from: 0, to: analysis.tokens.length }
  const [best] = rankTools(analysis, signatures)
  if (!best) return []
  const clauses = cutClauses(analysis)
  if (signatures.length === 1) return [{ signature: best.signature, stretch: whole, score: best.score }]
  const choices = clauses.map(clause => chooseTools(analysis, signatures, clause))
  const top = Math.max(best.score, ...choices.flat().map(({ score }) => score))
  const requests: Request[] = []
  choices.forEach((chosen, i) => {
    const good = chosen.filter(({ score }) => score >= ENOUGH.score && score >= ENOUGH.share * top)
    const last = requests.at(-1)
    if (good.length === 0) {
      for (const request of requests)
        if (request.stretch.to === clauses[i]!.from)
          request.stretch = { ...request.stretch, to: clauses[i]!.to }
    } else if (
      good.length === 1 &&
      last?.signature === good[0]!.signature &&
      last.stretch.to === clauses[i]!.from
    ) {
      last.stretch = { from: last.stretch.from, to: clauses[i]!.to }
      last.score = Math.max(last.score, good[0]!.score)
    } else requests.push(...good)
  })
  if (requests.length === 0) return [{ signature: best.signature, stretch: whole, score: best.score }]
  const only = new Set(requests.map(({ signature }) => signature))
  return only.size === 1
    ? [{ signature: requests[0]!.signature, stretch: whole, score: requests[0]!.score }]
    : requests
}

/** The best tool of a clause, and others of which the clause says everything that sets them apart. */
function chooseTools(analysis: Analysis, signatures: Signature[], clause: Piece): Request[] {
  const ranked = rankTools(analysis, signatures, clause.from, clause.to)
  const [best] = ranked
  const said = new Set(analysis.tokens.slice(clause.from, clause.to).flatMap(token => token.stems))
  const also = ranked
    .slice(1)
    .filter(
      ({ signature, score }) =>
        score > 0.6 * best!.score && isNamed(signature, signatures, said, best!.signature),
    )
  return [best!, ...also].map(({ signature, score }) => ({ signature, stretch: clause, score }))
}

const GENERIC_STEMS = new Set([...GENERIC_WORDS, ...FUNCTION_WORDS].map(stem))

/** All stems of the name that the other tools do not share were said, and not all of them for the best one. */
function isNamed(
  signature: Signature,
  all: Signature[],
  said: ReadonlySet<string>,
  best: Signature,
): boolean {
  const own = signature.nameStems.filter(
    part => !GENERIC_STEMS.has(part) && all.some(other => !other.nameStems.includes(part)),
  )
  if (own.length === 0 || !own.every(part => said.has(part))) return false
  return own.some(part => !best.vocabulary.has(part))
}
