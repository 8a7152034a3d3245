import type { ChatMessageRecord } from '../../../shared/contract/testing/chats.ts'
import type { Question, TestEvent, TestResult } from '../../../shared/contract/testing/test-results.ts'

/** A call that the agent makes. */
export interface Call {
  type: 'call'
  id: string
  kind: 'tool' | 'resource' | 'prompt'
  /** Name, or the URI of a resource. */
  name: string
  arguments: unknown
  /** Undefined while the call runs. */
  answer?: Answer
}

export interface Answer {
  error: string | null
  /** Has the shape of a `tools/call` result. */
  result: unknown
  seconds?: number
}

export type Part = { type: 'text'; text: string } | Call | { type: 'question'; question: Question }

/** A message from the user, with the agent's actions and text until its answer is complete. */
export interface Exchange {
  id: string
  message: string
  parts: readonly Part[]
}

/** Updates the parts with an event of the run. */
export function withEvent(parts: readonly Part[], event: TestEvent): readonly Part[] {
  switch (event.type) {
    case 'text':
      return withText(parts, event.text)
    case 'call': {
      const { id, kind, name } = event
      return [...parts, { type: 'call', id, kind, name, arguments: event.arguments }]
    }
    case 'answer': {
      const { error, text, seconds } = event
      return withAnswer(parts, event.id, { error, result: textResult(text), seconds })
    }
    case 'question':
      return [...parts, { type: 'question', question: event.question }]
    case 'result':
      return withResults(parts, event.result)
    case 'error':
      return parts
  }
}

function withText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.type !== 'text') return [...parts, { type: 'text', text }]
  return [...parts.slice(0, -1), { type: 'text', text: last.text + text }]
}

function withAnswer(parts: readonly Part[], id: string, answer: Answer): readonly Part[] {
  return parts.map(part =>
    part.type === 'call' && part.id === id && !part.answer ? { ...part, answer } : part,
  )
}

/** The result of a run contains the tools' results. The events before it contain only their text. */
function withResults(parts: readonly Part[], { tool_calls = [] }: TestResult): readonly Part[] {
  const results = tool_calls.values()
  return parts.map(part => {
    if (part.type !== 'call' || part.kind !== 'tool') return part
    const record = results.next().value
    if (!record?.result || !part.answer) return part
    return { ...part, answer: { ...part.answer, result: record.result } }
  })
}

function textResult(text: string) {
  return { content: [{ type: 'text', text }] }
}

/** Groups stored messages by the user's message that they belong to. */
export function exchangesOf(messages: readonly ChatMessageRecord[]): Exchange[] {
  const exchanges: Exchange[] = []
  for (const { messageId, role, text, content } of messages) {
    const last = exchanges.at(-1)
    if (role === 'user' || !last) exchanges.push({ id: messageId, message: text, parts: [] })
    else last.parts = storedParts(content, text).reduce(withStored, last.parts)
  }
  return exchanges
}

/** A part of a message in the format of models (https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message). */
interface StoredPart {
  type: string
  text?: string
  toolCallId?: string
  toolName?: string
  input?: unknown
  output?: StoredOutput
}

interface StoredOutput {
  type: string
  value?: unknown
}

function storedParts(content: unknown, text: string): readonly StoredPart[] {
  return Array.isArray(content) ? content : [{ type: 'text', text }]
}

function withStored(parts: readonly Part[], part: StoredPart): readonly Part[] {
  const { type, text = '', toolCallId: id = '', toolName: name = '', input, output } = part
  if (type === 'text') return text === '' ? parts : [...parts, { type: 'text', text }]
  if (type === 'tool-call') return [...parts, { type: 'call', id, kind: 'tool', name, arguments: input }]
  if (type === 'tool-result' && output) return withAnswer(parts, id, storedAnswer(output))
  return parts
}

function storedAnswer({ type, value }: StoredOutput): Answer {
  if (type === 'text') return { error: null, result: textResult(String(value)) }
  if (type === 'error-text') return { error: String(value), result: null }
  if (type === 'error-json') return { error: JSON.stringify(value), result: null }
  if (type === 'execution-denied') return { error: 'The call was denied.', result: null }
  if (type === 'json') return { error: null, result: { structuredContent: value } }
  if (type === 'content' && Array.isArray(value))
    return { error: null, result: { content: value.map(storedBlock) } }
  return { error: null, result: { structuredContent: { type, value } } }
}

interface StoredBlock {
  type: string
  data?: { data?: unknown }
  mediaType?: string
}

/** Images are stored as files. */
function storedBlock(block: StoredBlock): object {
  if (block.type !== 'file') return block
  return { type: 'image', data: block.data?.data, mimeType: block.mediaType }
}
