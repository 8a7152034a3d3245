import { createHash } from 'node:crypto'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { TestResult } from '../../shared/contract/testing/test-results.ts'
import type { RecordedResponse } from '../../shared/contract/testing/test-runs.ts'
import { HostingError } from '../../shared/errors.ts'
import { toStream } from './answer-stream.ts'
import { normalizeRequest } from './normalized-request.ts'
import { redactSecrets } from './redact-secrets.ts'

type Recording = NonNullable<TestResult['recording']>

const SHOWN_REQUEST_LENGTH = 300

/** Wraps a model and records every complete streamed answer under the digest of its request. */
export function recordModel(model: LanguageModelV4, name: string, recording: Recording): LanguageModelV4 {
  return {
    ...facts(model.provider, model.modelId),
    supportedUrls: model.supportedUrls,
    doGenerate: options => model.doGenerate(options),
    async doStream(options) {
      const result = await model.doStream(options)
      const keep = (response: RecordedResponse) => recording.push({ ...identify(name, options), response })
      return { ...result, stream: result.stream.pipeThrough(collect(keep)) }
    },
  }
}

/** Answers only from a recording, without network requests. Throws NOT_RECORDED for an unknown request. */
export function replayModel(name: string, responses: Record<string, RecordedResponse>): LanguageModelV4 {
  const generate = async (options: LanguageModelV4CallOptions) => {
    const { digest, request } = identify(name, options)
    const response = Object.hasOwn(responses, digest) ? responses[digest] : undefined
    if (response) return toResult(response)
    throw new HostingError(
      'NOT_RECORDED',
      `The recording has no answer to this request to ${name}. The message, the server's tools or a tool result differ from the recorded ones.`,
      { details: `request ${digest.slice(0, 12)}: ${request}\nRecord again with --record.` },
    )
  }
  return {
    ...facts('replay', name),
    supportedUrls: {},
    doGenerate: generate,
    doStream: async options => ({ stream: toStream(await generate(options)) }),
  }
}

function facts(provider: string, modelId: string) {
  return { specificationVersion: 'v4' as const, provider, modelId }
}

/** SHA-256 of the normalized request, and its last message for comparing two recordings. */
function identify(model: string, options: LanguageModelV4CallOptions): { digest: string; request: string } {
  const text = redactSecrets(JSON.stringify(normalizeRequest(model, options)))
  const last = redactSecrets(JSON.stringify(options.prompt.at(-1)))
  return {
    digest: createHash('sha256').update(text).digest('hex'),
    request: last.length > SHOWN_REQUEST_LENGTH ? `${last.slice(0, SHOWN_REQUEST_LENGTH)}…` : last,
  }
}

/** Collects the parts of a stream while passing them on. A stream with an error is not recorded. */
function collect(keep: (response: RecordedResponse) => void) {
  const response: RecordedResponse = { content: [], finish: 'other' }
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()
  let hasFailed = false
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      controller.enqueue(part)
      if (part.type === 'error') hasFailed = true
      if (part.type === 'text-start' || part.type === 'reasoning-start') {
        const block = {
          type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const),
          text: '',
        }
        open.set(`${block.type} ${part.id}`, block)
        response.content.push(block)
      }
      if (part.type === 'text-delta') append(open.get(`text ${part.id}`), part.delta)
      if (part.type === 'reasoning-delta') append(open.get(`reasoning ${part.id}`), part.delta)
      if (part.type === 'tool-call')
        response.content.push({
          type: 'tool-call',
          id: part.toolCallId,
          name: part.toolName,
          input: part.input,
        })
      if (part.type === 'finish') {
        response.finish = part.finishReason.unified
        response.input_tokens = part.usage.inputTokens.total
        response.output_tokens = part.usage.outputTokens.total
        if (!hasFailed) keep(JSON.parse(redactSecrets(JSON.stringify(response))))
      }
    },
  })
}

function append(block: { text: string } | undefined, delta: string): void {
  if (block) block.text += delta
}

function toResult(response: RecordedResponse): LanguageModelV4GenerateResult {
  const { input_tokens: input, output_tokens: output } = response
  return {
    content: response.content.map(
      (part): LanguageModelV4Content =>
        part.type === 'tool-call'
          ? { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.input }
          : part,
    ),
    finishReason: {
      unified: response.finish as LanguageModelV4GenerateResult['finishReason']['unified'],
      raw: response.finish,
    },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
    warnings: [],
  }
}
