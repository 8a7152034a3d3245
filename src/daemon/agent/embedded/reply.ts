import type { DoneCall } from './conversation.ts'
import type { Plan } from './plan/plan.ts'

/** The answer from the results of the calls. */
export function writeReply(done: DoneCall[]): string {
  return done.map(call => (call.failed ? `${call.tool} failed: ${call.text}` : call.text)).join('\n')
}

/** Why nothing was called, which tool came nearest and how near. */
export function writeRefusal(plan: Plan): string {
  const [best] = plan.ranking
  if (!best) return 'This server offers no tools.'
  return `Nothing that this server offers fits the request. The nearest is ${best.name} (${best.score.toFixed(2)}).`
}
