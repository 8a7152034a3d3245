import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { toStream } from '../../../src/daemon/agent/answer-stream.ts'
import { recordModel, replayModel } from '../../../src/daemon/agent/cassette.ts'
import { redactSecrets } from '../../../src/daemon/agent/redact-secrets.ts'
import type { RecordedResponse } from '../../../src/shared/contract/testing/test-runs.ts'

type Recording = { digest: string; request: string; response: RecordedResponse }[]

const USAGE = {
  inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 3, text: 3, reasoning: undefined },
}

const answering = {
  specificationVersion: 'v4' as const,
  provider: 'test',
  modelId: 'm',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('only doStream is called')),
  doStream: async () => ({
    stream: toStream({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool-call', toolCallId: 'x1', toolName: 'find', input: '{"a":1}' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool_use' },
      usage: USAGE,
      warnings: [],
    }),
  }),
}

function asked(
  id: string,
  result: string,
  more: Partial<LanguageModelV4CallOptions> = {},
): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: id, toolName: 'find', input: { b: 2, a: 1 } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: id, toolName: 'find', output: { type: 'text', value: result } },
        ],
      },
    ],
    tools: [
      { type: 'function', name: 'find', inputSchema: { type: 'object' } },
      { type: 'function', name: 'add', inputSchema: { type: 'object' } },
    ],
    ...more,
  }
}

async function read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

async function record(options: LanguageModelV4CallOptions): Promise<Recording[number]> {
  const recording: Recording = []
  await read((await recordModel(answering, 'm', recording).doStream(options)).stream)
  return recording[0]!
}

test('a replay has the same parts as the recording', async () => {
  const { digest, response } = await record(asked('x', 'found'))
  expect(response).toMatchObject({ finish: 'tool-calls', input_tokens: 7, output_tokens: 3 })
  const parts = await read(
    (await replayModel('m', { [digest]: response }).doStream(asked('x', 'found'))).stream,
  )
  expect(parts.map(({ type }) => type)).toEqual([
    'stream-start',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call',
    'finish',
  ])
})

test('call ids, order of tools, headers, provider options, times and random ids do not change the digest', async () => {
  const { digest } = await record(
    asked('x', 'at 2026-11-21T10:00:00.123Z, id 0b2c3d4e-0000-4000-8000-000000000000'),
  )
  const same = asked('y', 'at 2027-01-01T00:00:00Z, id ffffffff-1111-4111-9111-111111111111', {
    headers: { authorization: 'Bearer other' },
    providerOptions: { openai: { store: false } },
  })
  same.tools!.reverse()
  expect((await record(same)).digest).toBe(digest)
})

test('tools, results, settings and model change the digest of a request', async () => {
  const { digest } = await record(asked('x', 'found'))
  const others = [
    asked('x', 'lost'),
    asked('x', 'found', { temperature: 1 }),
    asked('x', 'found', { tools: [] }),
  ]
  for (const other of others) expect((await record(other)).digest).not.toBe(digest)
  await expect(
    replayModel('n', { [digest]: (await record(asked('x', 'found'))).response }).doStream(
      asked('x', 'found'),
    ),
  ).rejects.toMatchObject({
    code: 'NOT_RECORDED',
  })
})

test('a stream with an error is not recorded', async () => {
  const recording: Recording = []
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      controller.enqueue({ type: 'error', error: new Error('overloaded') })
      controller.enqueue({ type: 'finish', usage: USAGE, finishReason: { unified: 'error', raw: undefined } })
      controller.close()
    },
  })
  const broken = { ...answering, doStream: async () => ({ stream }) }
  await read((await recordModel(broken, 'm', recording).doStream(asked('x', 'y'))).stream)
  expect(recording).toEqual([])
})

test.each([
  ['sk-ant-api03-abcdefghijklmnop', '<secret>'],
  ['Authorization: Bearer abcdefghijklmnop0123', 'Authorization: Bearer <secret>'],
  ['{"password":"hunter2","user":"ada"}', '{"password":"<secret>","user":"ada"}'],
  ['ghp_abcdefghijklmnopqrst123', '<secret>'],
  ['AKIAABCDEFGHIJKLMNOP', '<secret>'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop', '<secret>'],
  ['a skeleton key, sk-ill and a secret garden', 'a skeleton key, sk-ill and a secret garden'],
])('%s is recorded as %s', (text, written) => expect(redactSecrets(text)).toBe(written))
