import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** Converts a complete answer to a stream. */
export function toStream(result: LanguageModelV4GenerateResult): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: result.warnings })
      for (const [index, part] of result.content.entries())
        for (const each of partsOf(part, String(index))) controller.enqueue(each)
      controller.enqueue({ type: 'finish', usage: result.usage, finishReason: result.finishReason })
      controller.close()
    },
  })
}

function partsOf(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start', id },
        { type: 'text-delta', id, delta: part.text },
        { type: 'text-end', id },
      ]
    case 'reasoning':
      return [
        { type: 'reasoning-start', id },
        { type: 'reasoning-delta', id, delta: part.text },
        { type: 'reasoning-end', id },
      ]
    case 'tool-call':
      return [part]
    default:
      return []
  }
}
