import { bind } from '../bind/bind.ts'
import { scopeOf } from '../bind/scope.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { type Signature, signatureOf, type Tool } from '../tools/signature.ts'
import { type Call, callsOf } from './calls.ts'

export interface Plan {
  calls: Call[]
  /** Tools by how well they fit, best first. */
  ranking: { name: string; score: number }[]
  /** Why nothing is called. */
  missing?: { tool: string; parameters: string[] }
}

export function planCalls(analysis: Analysis, tools: Tool[]): Plan {
  const signatures = tools.map(signatureOf)
  const ranked = rankTools(analysis, signatures)
  const ranking = ranked.map(({ signature, score }) => ({ name: signature.name, score }))
  const best = ranked[0]
  if (!best || best.score < 0.5) return { calls: [], ranking }
  const calls = requestCalls(analysis, best.signature)
  return { calls, ranking }
}

function requestCalls(analysis: Analysis, signature: Signature): Call[] {
  const scope = scopeOf(analysis, signature)
  const binding = bind(scope)
  const respectively = analysis.tokens.some(token => token.lower === 'respectively')
  if (binding.missing.some(parameter => parameter.default === undefined && parameter.type !== 'boolean'))
    return []
  return callsOf(signature, binding, respectively)
}
