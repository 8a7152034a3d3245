import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { decide } from './decide.ts'
import { loadReader, type Reader } from './text/analyse.ts'

export interface EmbeddedModelOptions {
  /** Date of "today". Fixed by default, so that the same message always gives the same call. */
  referenceDate?: Date
}

/** A Wednesday. */
const REFERENCE_DATE = new Date('2025-01-01T12:00:00Z')

let shared: Promise<Reader> | undefined

/**
 * A language model without weights. Rules choose tools, resources and prompts by names, descriptions and schemas, extract
 * the arguments from the message, and write the reply from the results. It is deterministic.
 */
export function createEmbeddedModel(options: EmbeddedModelOptions = {}): LanguageModelV4 {
  const reader = () => {
    if (options.referenceDate) return loadReader(options.referenceDate)
    shared ??= loadReader(REFERENCE_DATE)
    return shared
  }
  const generate = async (call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> => {
    call.abortSignal?.throwIfAborted()
    const content = decide(await reader(), call)
    const called = content.some(part => part.type === 'tool-call')
    return {
      content,
      finishReason: { unified: called ? 'tool-calls' : 'stop', raw: undefined },
      usage: usageOf(call, content),
      warnings: [],
    }
  }
  return {
    specificationVersion: 'v4',
    provider: 'mcp-hosting',
    modelId: 'embedded',
    supportedUrls: {},
    doGenerate: generate,
    doStream: async call => ({ stream: ReadableStream.from(streamParts(await generate(call))) }),
  }
}

function* streamParts(result: LanguageModelV4GenerateResult): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  for (const [index, part] of result.content.entries()) {
    const id = String(index)
    if (part.type === 'text') {
      yield { type: 'text-start', id }
      for (const delta of linesOf(part.text)) yield { type: 'text-delta', id, delta }
      yield { type: 'text-end', id }
    } else if (part.type === 'tool-call') {
      yield { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName }
      yield { type: 'tool-input-delta', id: part.toolCallId, delta: part.input }
      yield { type: 'tool-input-end', id: part.toolCallId }
      yield part
    }
  }
  yield { type: 'finish', finishReason: result.finishReason, usage: result.usage }
}

/** Lines including their line breaks. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line, i, all) => (i < all.length - 1 ? `${line}\n` : line))
}

/** Counts words instead of tokens. */
function usageOf(
  call: LanguageModelV4CallOptions,
  content: LanguageModelV4Content[],
): LanguageModelV4GenerateResult['usage'] {
  const input = countWords(JSON.stringify(call.prompt))
  const output = content.reduce((sum, part) => sum + countWords(writtenText(part)), 0)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}

function writtenText(part: LanguageModelV4Content): string {
  if (part.type === 'text') return part.text
  return part.type === 'tool-call' ? `${part.toolName} ${part.input}` : ''
}

function countWords(text: string): number {
  let words = 0
  let inside = false
  for (let i = 0; i < text.length; i++) {
    const space = text.charCodeAt(i) <= 32
    if (!space && !inside) words++
    inside = !space
  }
  return words
}
