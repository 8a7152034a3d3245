import type { CompletedCall } from '../conversation.ts'
import type { Analysis } from '../text/mention.ts'
import { rankTools } from '../tools/rank.ts'
import { signatureOf, type Tool } from '../tools/signature.ts'
import { type Plan, planCalls, planRequests } from './plan.ts'
import type { Memory } from './recall.ts'

/** Words that start a follow-up message. */
const OPENINGS = [
  ['and'],
  ['what', 'about'],
  ['how', 'about'],
  ['now'],
  ['same'],
  ['also'],
  ['the', 'same'],
  ['again'],
]

/** Plans another call of the previous message's tool with the new values of a follow-up message. Other values stay the same. */
export function continueRequest(
  analysis: Analysis,
  before: Analysis,
  tools: Tool[],
  done: CompletedCall[],
): Plan | undefined {
  if (!isFollowUp(analysis)) return undefined
  const last = planCalls(before, tools).calls.at(-1)
  const tool = tools.find(({ name }) => name === last?.tool)
  if (!last || !tool) return undefined
  const signature = signatureOf(tool)
  const memory: Memory = new Map()
  for (const parameter of signature.parameters) {
    const value = last.arguments[parameter.name]
    if (value !== undefined) memory.set(parameter.name, { parameter, values: [value] })
  }
  const stretch = { from: 0, to: analysis.tokens.length }
  const planned = planRequests(analysis, [{ signature, stretch, score: 1 }], done, memory)
  return {
    ...planned,
    ranking: rankTools(analysis, [signature]).map(({ score }) => ({ name: signature.name, score })),
  }
}

function isFollowUp({ tokens }: Analysis): boolean {
  return OPENINGS.some(opening => opening.every((word, i) => tokens[i]?.lower === word))
}
