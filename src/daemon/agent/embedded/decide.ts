import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
} from '@ai-sdk/provider'
import { readConversation } from './conversation.ts'
import { planCalls } from './plan/plan.ts'
import { writeRefusal, writeReply } from './reply.ts'
import type { Reader } from './text/analyse.ts'
import type { Schema } from './tools/schema.ts'
import type { Tool } from './tools/signature.ts'

/** The next step of a conversation: calls, or the reply. */
export function decide(read: Reader, call: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const { message, done } = readConversation(call.prompt)
  if (done.length > 0) return [{ type: 'text', text: writeReply(done) }]
  const tools = (call.tools ?? []).filter(tool => tool.type === 'function').map(toTool)
  const plan = planCalls(read(message), tools)
  if (plan.calls.length === 0) return [{ type: 'text', text: writeRefusal(plan) }]
  return plan.calls.map((planned, i) => ({
    type: 'tool-call',
    toolCallId: `call-${i + 1}`,
    toolName: planned.tool,
    input: JSON.stringify(planned.arguments),
  }))
}

function toTool({ name, description, inputSchema }: LanguageModelV4FunctionTool): Tool {
  return { name, ...(description && { description }), inputSchema: inputSchema as Schema }
}
