import { randomUUID } from 'node:crypto'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { toStream } from '../answer-stream.ts'

/** Subset of node-llama-cpp's `LlamaChat` used here (https://node-llama-cpp.withcat.ai/api/classes/LlamaChat). */
export interface LlamaChatLike {
  generateResponse(history: LlamaHistoryEntry[], options: Record<string, unknown>): Promise<LlamaResponse>
}

export type LlamaHistoryEntry =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: (string | LlamaFunctionCall)[] }

interface LlamaFunctionCall {
  type: 'functionCall'
  name: string
  params: unknown
  result: unknown
}

interface LlamaResponse {
  response: string
  functionCalls?: { functionName: string; params: unknown }[]
  metadata: { stopReason: string }
}

const MAX_PARALLEL_CALLS = 8

/** A local model file as a language model of the AI SDK. Handles one request at a time, because it has one context. */
export function createGgufModel(file: string, chat: LlamaChatLike): LanguageModelV4 {
  let queue: Promise<unknown> = Promise.resolve()
  const generate = (options: LanguageModelV4CallOptions) => {
    const result = queue.then(() => respond(chat, options))
    queue = result.catch(() => {}) // the caller gets the error
    return result
  }
  return {
    specificationVersion: 'v4',
    provider: 'gguf',
    modelId: file,
    supportedUrls: {},
    doGenerate: generate,
    doStream: async options => ({ stream: toStream(await generate(options)) }),
  }
}

async function respond(
  chat: LlamaChatLike,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const functions = Object.fromEntries(
    (options.tools ?? []).flatMap(tool =>
      tool.type === 'function'
        ? [[tool.name, { description: tool.description, params: tool.inputSchema }]]
        : [],
    ),
  )
  const answer = await chat.generateResponse(toHistory(options.prompt), {
    ...(Object.keys(functions).length > 0 ? { functions, maxParallelFunctionCalls: MAX_PARALLEL_CALLS } : {}),
    signal: options.abortSignal,
    // Defaults to the most likely token, so that answers are reproducible.
    temperature: options.temperature ?? 0,
    seed: options.seed,
    maxTokens: options.maxOutputTokens,
  })
  const calls = answer.functionCalls ?? []
  const content: LanguageModelV4Content[] = [
    ...(answer.response ? [{ type: 'text' as const, text: answer.response }] : []),
    ...calls.map(({ functionName, params }) => ({
      type: 'tool-call' as const,
      toolCallId: randomUUID(),
      toolName: functionName,
      input: JSON.stringify(params ?? {}),
    })),
  ]
  const { stopReason } = answer.metadata
  const unified = calls.length > 0 ? 'tool-calls' : stopReason === 'maxTokens' ? 'length' : 'stop'
  return { content, finishReason: { unified, raw: stopReason }, usage: UNKNOWN_USAGE, warnings: [] }
}

const UNKNOWN_USAGE: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

function toHistory(prompt: LanguageModelV4Prompt): LlamaHistoryEntry[] {
  const history: LlamaHistoryEntry[] = []
  const open = new Map<string, LlamaFunctionCall>()
  for (const message of prompt) {
    if (message.role === 'system') history.push({ type: 'system', text: message.content })
    else if (message.role === 'user') history.push({ type: 'user', text: textOf(message.content) })
    else if (message.role === 'tool') {
      for (const part of message.content)
        if (part.type === 'tool-result') {
          const call = open.get(part.toolCallId)
          if (call) call.result = 'value' in part.output ? part.output.value : part.output.reason
        }
    } else modelEntry(history).response.push(...responseOf(message.content, open))
  }
  return history
}

/** The entry for the model's turn. Consecutive turns form one entry. */
function modelEntry(history: LlamaHistoryEntry[]) {
  const last = history.at(-1)
  if (last?.type === 'model') return last
  const entry = { type: 'model' as const, response: [] as (string | LlamaFunctionCall)[] }
  history.push(entry)
  return entry
}

type AssistantParts = Extract<LanguageModelV4Prompt[number], { role: 'assistant' }>['content']

function responseOf(
  parts: AssistantParts,
  open: Map<string, LlamaFunctionCall>,
): (string | LlamaFunctionCall)[] {
  return parts.flatMap((part): (string | LlamaFunctionCall)[] => {
    if (part.type === 'text') return [part.text]
    if (part.type !== 'tool-call') return []
    const call: LlamaFunctionCall = {
      type: 'functionCall',
      name: part.toolName,
      params: part.input,
      result: null,
    }
    open.set(part.toolCallId, call)
    return [call]
  })
}

function textOf(parts: readonly { type: string; text?: string }[]): string {
  return parts.map(part => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}
