import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'

/** A call made for the current message, with its result. */
export interface CompletedCall {
  tool: string
  arguments: Record<string, unknown>
  failed: boolean
  text: string
  /** The result if it was structured or JSON text. */
  data?: unknown
}

export interface Conversation {
  /** The user's last message. */
  message: string
  /** Calls made since that message, in order. */
  done: CompletedCall[]
  /** The user's earlier messages, latest last. */
  earlier: string[]
  /** Number of calls in the whole conversation. */
  calls: number
}

/** Extracts the current request and its progress from a prompt. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const messages: string[] = []
  let done: CompletedCall[] = []
  const asked = new Map<string, Record<string, unknown>>()
  for (const message of prompt) {
    if (message.role === 'user') {
      const texts = message.content.flatMap(part => (part.type === 'text' ? [part.text] : []))
      messages.push(texts.join('\n'))
      done = []
    } else if (message.role !== 'system') {
      for (const part of message.content) {
        if (part.type === 'tool-call') asked.set(part.toolCallId, argumentsOf(part.input))
        if (part.type === 'tool-result') {
          const args = asked.get(part.toolCallId) ?? {}
          done.push({ tool: part.toolName, arguments: args, ...readOutput(part.output) })
        }
      }
    }
  }
  return { message: messages.at(-1) ?? '', done, earlier: messages.slice(0, -1), calls: asked.size }
}

function argumentsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
}

function readOutput(
  output: LanguageModelV4ToolResultOutput,
): Pick<CompletedCall, 'failed' | 'text' | 'data'> {
  switch (output.type) {
    case 'text':
      return { failed: false, text: output.value, ...dataIn(output.value) }
    case 'json':
      return { failed: false, text: JSON.stringify(output.value), data: output.value }
    case 'error-text':
      return { failed: true, text: output.value }
    case 'error-json':
      return { failed: true, text: JSON.stringify(output.value) }
    case 'execution-denied':
      return { failed: true, text: output.reason ?? 'The call was not allowed.' }
    case 'content': {
      const text = output.value.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
      return { failed: false, text, ...dataIn(text) }
    }
  }
}

/** Parses a text result, because many servers send data as JSON text. */
function dataIn(text: string): { data?: unknown } {
  const trimmed = text.trim()
  if (!/^[[{]/.test(trimmed) || trimmed.length > 200_000) return {}
  try {
    return { data: JSON.parse(trimmed) }
  } catch {
    return {} // not JSON
  }
}
