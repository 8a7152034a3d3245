import type { LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider'
import { type CompletedCall, type Conversation, readConversation } from './conversation.ts'
import { asksToRead, type OfferedTool, offeredIn } from './offered.ts'
import { continueRequest } from './plan/follow-up.ts'
import { type Plan, planCalls } from './plan/plan.ts'
import { writeRefusal, writeReply } from './reply.ts'
import type { Reader } from './text/analyse.ts'
import type { Tool } from './tools/signature.ts'

/** Next step of a conversation: calls or a reply. */
export function decide(read: Reader, call: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const conversation = readConversation(call.prompt)
  const { done } = conversation
  const offered = offeredIn(call, conversation.message)
  const byName = new Map(offered.map(offer => [offer.tool.name, offer]))
  const plan = planToolsFirst(read, conversation, [...byName.values()])
  const wanted = plan.calls.map(planned => byName.get(planned.tool)!.toCall(planned.arguments))
  const open = wanted.filter(({ toolName, args }) => !done.some(made => isSame(made, toolName, args)))
  if (open.length > 0)
    return open.map(({ toolName, args }, i) => ({
      type: 'tool-call',
      toolCallId: `call-${conversation.calls + i + 1}`,
      toolName,
      input: JSON.stringify(args),
    }))
  return [{ type: 'text', text: done.length > 0 ? writeReply(done) : writeRefusal(plan, offered.length) }]
}

/** Prefers tools over resources, unless the message asks to read something. */
function planToolsFirst(read: Reader, conversation: Conversation, offered: OfferedTool[]): Plan {
  const plan = makePlan(
    read,
    conversation,
    offered.map(({ tool }) => tool),
  )
  const resources = new Set(offered.filter(({ resource }) => resource).map(({ tool }) => tool.name))
  if (!plan.calls.some(({ tool }) => resources.has(tool)) || asksToRead(conversation.message, offered))
    return plan
  const others = offered.filter(({ resource }) => !resource).map(({ tool }) => tool)
  const withTools = makePlan(read, conversation, others)
  return withTools.calls.length >= plan.calls.length ? withTools : plan
}

/** Plans the calls for the message, or repeats the previous request with a new value: "And in Rome?". */
function makePlan(read: Reader, { message, done, earlier }: Conversation, tools: Tool[]): Plan {
  const analysis = read(message)
  const before = earlier.at(-1)
  const plan = planCalls(analysis, tools, done)
  if (plan.calls.length > 0 || before === undefined) return plan
  return continueRequest(analysis, read(before), tools, done) ?? plan
}

function isSame(made: CompletedCall, toolName: string, args: Record<string, unknown>): boolean {
  return made.tool === toolName && JSON.stringify(made.arguments) === JSON.stringify(args)
}
