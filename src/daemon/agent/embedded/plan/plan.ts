import type { Binding } from '../bind/bind.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { type Signature, signatureOf, type Tool } from '../tools/signature.ts'
import { type Call, callsOf } from './calls.ts'
import { findRecords, inherit } from './records.ts'
import { findRequests, type Request } from './requests.ts'

export interface Plan {
  calls: Call[]
  /** Tools by how well they fit, best first. */
  ranking: { name: string; score: number }[]
  /** What the message lacks for the tool that would fit. */
  missing?: { tool: string; parameters: string[] }
}

/** A message that names less of every tool than this asks for none of them. */
const RELEVANT = 0.5

/** What to call for a message, or why nothing. */
export function planCalls(analysis: Analysis, tools: Tool[]): Plan {
  const signatures = tools.map(signatureOf)
  const ranked = rankTools(analysis, signatures)
  const ranking = ranked.map(({ signature, score }) => ({ name: signature.name, score }))
  if (!ranked[0] || ranked[0].score < RELEVANT) return { calls: [], ranking }
  const requests = findRequests(analysis, signatures)
  const calls = requests.flatMap(request => requestCalls(analysis, request))
  if (calls.length > 0) return { calls: distinct(calls), ranking }
  return { calls, ranking }
}

function requestCalls(analysis: Analysis, { signature, stretch }: Request): Call[] {
  const respectively = analysis.tokens.some(token => token.lower === 'respectively')
  const records = findRecords(analysis, signature, stretch)
  if (records.some(({ binding }) => binding.missing.length > 0))
    fillFromRest(
      analysis,
      signature,
      stretch,
      records.map(({ binding }) => binding),
    )
  const complete = records.filter(({ binding }) => !lacks(binding))
  return complete.flatMap(({ binding }) => callsOf(signature, binding, respectively))
}

/** What the stretch itself does not say may stand elsewhere in the message. */
function fillFromRest(
  analysis: Analysis,
  signature: Signature,
  { from, to }: Request['stretch'],
  bindings: Binding[],
): void {
  if (from === 0 && to === analysis.tokens.length) return
  const [whole] = findRecords(analysis, signature, { from: 0, to: analysis.tokens.length })
  if (whole) for (const binding of bindings) inherit(binding, whole.binding, false)
}

function lacks(binding: Binding): boolean {
  return binding.missing.some(parameter => parameter.default === undefined && parameter.type !== 'boolean')
}

function distinct(calls: Call[]): Call[] {
  const seen = new Set<string>()
  return calls.filter(call => {
    const key = JSON.stringify(call)
    return !seen.has(key) && seen.add(key)
  })
}
