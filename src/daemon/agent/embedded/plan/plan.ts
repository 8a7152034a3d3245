import type { Binding } from '../bind/bind.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { type Signature, signatureOf, type Tool } from '../tools/signature.ts'
import { type Call, callsOf, fallback } from './calls.ts'
import { type Memory, recall, remember } from './recall.ts'
import { findRecords, inherit } from './records.ts'
import { findRequests, type Request } from './requests.ts'

export interface Plan {
  calls: Call[]
  /** Tools by how well they fit, best first. */
  ranking: { name: string; score: number }[]
  /** What the message lacks for the tool that would fit. */
  missing?: { tool: string; parameters: string[] }
}

/**
 * From here on a message asks for a tool: what it names of it (0 to 1.5), and how well it fills what the tool requires (up
 * to 0.3).
 */
const RELEVANT = 0.47
const WEIGHT_OF_FILLING = 0.06
const MOST_FILLED = 5

/** What to call for a message, or why nothing. */
export function planCalls(analysis: Analysis, tools: Tool[]): Plan {
  const signatures = tools.map(signatureOf)
  const ranked = rankTools(analysis, signatures)
  const ranking = ranked.map(({ signature, score }) => ({ name: signature.name, score }))
  const requests = findRequests(analysis, signatures)
  const memory: Memory = new Map()
  const answered = requests.map(request => answer(analysis, request, memory))
  const calls = distinct(answered.filter(isRelevant).flatMap(found => found.calls))
  return { calls, ranking }
}

interface Answered {
  request: Request
  calls: Call[]
  /** Mean score of the values of required parameters. */
  filled: number
}

function isRelevant({ request, filled }: Answered): boolean {
  return request.score + WEIGHT_OF_FILLING * Math.min(filled, MOST_FILLED) >= RELEVANT
}

function answer(analysis: Analysis, request: Request, memory: Memory): Answered {
  const { signature, stretch } = request
  const respectively = analysis.tokens.some(token => token.lower === 'respectively')
  const records = findRecords(analysis, signature, stretch)
  const bindings = records.map(({ binding }) => binding)
  for (const binding of bindings) recall(memory, binding, signature.parameters)
  if (bindings.some(({ missing }) => missing.length > 0)) fillFromRest(analysis, signature, stretch, bindings)
  remember(memory, signature.parameters, bindings)
  const complete = bindings.filter(binding => !lacks(binding))
  return {
    request,
    calls: complete.flatMap(binding => callsOf(signature, binding, respectively)),
    filled: filling(bindings),
  }
}

function filling([first]: Binding[]): number {
  const required = first?.bound.filter(({ parameter }) => parameter.required) ?? []
  const total = required.length + (first?.missing.length ?? 0)
  return total === 0 ? 0 : required.reduce((sum, { score }) => sum + score, 0) / total
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
  if (whole) for (const binding of bindings) inherit(binding, whole.binding.values, false)
}

function lacks(binding: Binding): boolean {
  const given = [...binding.values.values()].flat()
  return binding.missing.some(parameter => fallback(parameter, given).length === 0)
}

function distinct(calls: Call[]): Call[] {
  const seen = new Set<string>()
  return calls.filter(call => {
    const key = JSON.stringify(call)
    return !seen.has(key) && seen.add(key)
  })
}
