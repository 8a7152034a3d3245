import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import {
  errorBody,
  type ModelStub,
  startModelStub,
  type Turn,
  type Wire,
} from '../../helpers/services/model-stub.ts'

const KEY = 'sk-test-0123456789abcdefghij'

let daemon: TestDaemon
let mcpId: string
let stub: ModelStub | undefined

beforeAll(async () => {
  daemon = await startTestDaemon()
  const { body } = await daemon.api('POST', '/v1/build', { body: SERVER })
  mcpId = body.data.mcp_id
})
afterAll(() => daemon.close())
afterEach(() => stub?.close())

const SERVER = {
  name: 'sums',
  template: 'basic',
  instructions: 'Numbers are added, never guessed.',
  tools: [
    {
      name: 'math.add',
      description: 'Adds two numbers',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      handler: { type: 'template', text: '{{ a | plus: b }}' },
    },
  ],
  resources: [{ uri: 'notes://one', name: 'one', description: 'A note', text: 'the note' }],
  prompts: [{ name: 'greet', description: 'Greets', template: 'Say hello to {{ name }}.' }],
}

async function run(
  wire: Wire,
  turns: Parameters<typeof startModelStub>[1],
  more: Record<string, unknown> = {},
) {
  stub = await startModelStub(wire, turns)
  const ai_model = {
    anthropic: '<vendor-a>-sonnet-4-5',
    openai: '<vendor-b>-5.2',
    compatible: `openai:llama3.2@${stub.url}`,
  }[wire]
  const access = { api_key: KEY, base_url: stub.url }
  const model_access = wire === 'compatible' ? {} : { [wire]: access }
  return daemon.api('POST', '/v1/test', {
    body: { mcp_id: mcpId, message: 'What is 2 + 3, and 4 + 5?', ai_model, model_access, ...more },
  })
}

const add = (a: unknown, b: unknown) => ({ name: 'math_add', arguments: { a, b } })
const MODEL = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5.2',
  compatible: /^openai:llama3\.2@http/,
} as const

describe.each(['anthropic', 'openai', 'compatible'] as const)('the wire format %s', wire => {
  test('a turn can contain several calls, and their results and errors are returned to the model', async () => {
    const answer = await run(wire, [
      { text: 'Adding.', calls: [add(2, 3), add(4, 'five')] },
      { text: 'The sum is 5.' },
    ])
    expect(answer.status).toBe(200)
    const { data } = answer.body
    expect(data).toMatchObject({
      ai_response: 'The sum is 5.',
      tools_used: ['math.add'],
      resources_accessed: [],
      success_rate: 0.5,
      turns: 2,
    })
    expect(data.model).toMatch(MODEL[wire])
    expect(data.usage).toMatchObject({ input_tokens: 200, output_tokens: 40, total_tokens: 240, requests: 2 })
    expect(data.tool_calls).toMatchObject([
      {
        name: 'math.add',
        arguments: { a: 2, b: 3 },
        error: null,
        turn: 1,
        result: { content: [{ type: 'text', text: '5' }] },
      },
      {
        name: 'math.add',
        arguments: { a: 4, b: 'five' },
        error: expect.stringContaining('"b" must be a number'),
        turn: 1,
      },
    ])
    const sent = JSON.stringify(stub!.requests[1]!.body)
    expect(sent).toContain('must be a number')
    expect(sent).toContain('Numbers are added, never guessed.')
  })

  test('resources and prompts are read through the two additional tools', async () => {
    const calls = [
      { name: 'read_resource', arguments: { uri: 'notes://one' } },
      { name: 'get_prompt', arguments: { name: 'greet', arguments: { name: 'Ada' } } },
    ]
    const { body } = await run(wire, [{ calls }, { text: 'done' }])
    expect(body.data).toMatchObject({
      tools_used: [],
      success_rate: 1,
      resources_accessed: ['notes://one'],
      resource_reads: [{ uri: 'notes://one', error: null }],
      prompts: [{ name: 'greet', arguments: { name: 'Ada' }, error: null }],
    })
    const sent = JSON.stringify(stub!.requests[1]!.body)
    expect(sent).toContain('the note')
    expect(sent).toContain('Say hello to Ada.')
  })

  test('a rate-limited request is retried', async () => {
    const limited: Turn = {
      status: 429,
      headers: { 'retry-after-ms': '5' },
      body: errorBody(wire, 'slow down', 'rate_limit_error'),
    }
    const { body } = await run(wire, [limited, { text: 'at last' }])
    expect(body.data).toMatchObject({ ai_response: 'at last', turns: 1 })
    expect(stub!.requests).toHaveLength(2)
  })

  test('a persistent rate limit is reported with the retry time', async () => {
    const headers = { 'retry-after-ms': '5', 'retry-after': '7' }
    const { status, body } = await run(wire, [{ status: 429, headers, body: errorBody(wire, 'slow down') }])
    expect(status).toBe(502)
    expect(body.error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringMatching(/rate limited.*slow down.*in 7 s/),
    })
    expect(stub!.requests).toHaveLength(3)
  })

  test('reports an invalid key without printing it', async () => {
    const refusal = errorBody(wire, `Incorrect API key provided: ${KEY}`, 'authentication_error')
    const { status, body } = await run(wire, [{ status: 401, body: refusal }])
    expect(status).toBe(502)
    expect(body.error.message).toContain('rejected the key')
    expect(JSON.stringify(body)).not.toContain(KEY)
    expect(stub!.requests).toHaveLength(1)
  })

  test('a connection cut during an answer fails the run', async () => {
    const { status, body } = await run(wire, [{ cutAfter: 3, turn: { text: 'This will never be whole.' } }])
    expect(status).toBeGreaterThanOrEqual(502)
    expect(body.error.message).toContain('The model')
    expect(stub!.requests.length).toBeLessThanOrEqual(3)
  })

  test('an incomplete answer without an error fails the run', async () => {
    const { status, body } = await run(wire, [{ endAfter: 3, turn: { text: 'This will never be whole.' } }])
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/incomplete|without a finish/)
  })

  test('a call to an unknown tool counts as a failed call, and the run continues', async () => {
    const { body } = await run(wire, [{ calls: [{ name: 'subtract', arguments: {} }] }, { text: 'sorry' }])
    expect(body.data).toMatchObject({
      ai_response: 'sorry',
      tools_used: ['subtract'],
      success_rate: 0,
      tool_calls: [{ name: 'subtract', error: expect.stringContaining('subtract') }],
    })
  })

  test('a call with invalid JSON arguments counts as a failed call, and the run continues', async () => {
    const { body } = await run(wire, [
      { calls: [{ name: 'math_add', raw: '{"a": 2, "b"' }] },
      { text: 'sorry' },
    ])
    expect(body.data).toMatchObject({
      ai_response: 'sorry',
      success_rate: 0,
      tool_calls: [{ error: expect.any(String) }],
    })
  })

  test('an endless loop stops at the turn limit', async () => {
    const { body } = await run(wire, [{ calls: [add(1, 1)] }], { limits: { turns: 3 } })
    expect(body.data).toMatchObject({
      turns: 3,
      stopped_by: 'turns',
      ai_response: expect.stringContaining('turns'),
    })
    expect(body.data.tool_calls).toHaveLength(3)
  })
})

test('reports an error that a vendor sends within a stream', async () => {
  const streamError = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const { status, body } = await run('anthropic', [{ streamError, turn: { text: 'x' } }])
  expect(status).toBe(503)
  expect(body.error.message).toMatch(/claude-sonnet-4-5.*[Oo]verloaded/)
})

test('OpenAI is asked not to store requests', async () => {
  await run('openai', [{ text: 'ok' }])
  expect(stub!.requests[0]!.body).toMatchObject({ store: false, model: 'gpt-5.2' })
})

test('an OpenAI-compatible endpoint gets only the key configured for its URL', async () => {
  stub = await startModelStub('compatible', [{ text: 'ok' }])
  const ask = (base_url?: string) =>
    daemon.api('POST', '/v1/test', {
      body: {
        mcp_id: mcpId,
        message: 'hi',
        ai_model: `openai:m@${stub!.url}`,
        model_access: { openai: { api_key: KEY, ...(base_url ? { base_url } : {}) } },
      },
    })
  await ask()
  await ask('https://api.example.com/v1')
  await ask(stub.url)
  expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
    `Bearer ${KEY}`,
  ])
})

test('a run fails if the vendor does not respond', async () => {
  const { status, body } = await run('anthropic', [{ silent: true }], { limits: { seconds: 0.2 } })
  expect(status).toBe(503)
  expect(body.error.message).toContain(
    'did not respond in the last 0.2 s of the run, which has a time limit of 0.2 s',
  )
  expect(body.error.details).toContain('--max-time')
})

test('a vendor that stops responding in a later turn is reported with the time of its silence', async () => {
  const slow = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    return { calls: [add(1, 1)] }
  }
  const { body } = await run('anthropic', [slow, { silent: true }], { limits: { seconds: 2 } })
  expect(body.error.message).toMatch(
    /did not respond in the last 1\.[0-7] s of the run, which has a time limit of 2 s/,
  )
})

test('a run stops at its limits on calls and tokens', async () => {
  const endless = { calls: [add(1, 1), add(2, 2)] }
  const calls = await run('openai', [endless], { limits: { calls: 3 } })
  expect(calls.body.data).toMatchObject({ stopped_by: 'calls', turns: 2 })
  expect(calls.body.data.tool_calls).toHaveLength(3)
  await stub!.close()
  const tokens = await run('openai', [endless], { limits: { tokens: 200 } })
  expect(tokens.body.data).toMatchObject({ stopped_by: 'tokens', turns: 2 })
})

test('a run with make_calls: false validates tool calls but makes none', async () => {
  const { body } = await run('anthropic', [{ calls: [add(2, 3), add(2, 'x')] }, { text: 'ok' }], {
    make_calls: false,
  })
  expect(body.data.tool_calls).toMatchObject([
    { error: null, result: null },
    { error: expect.stringContaining('"b" must be a number') },
  ])
})

test('rejects a model without a key and suggests the next step', async () => {
  const { status, body } = await daemon.api('POST', '/v1/test', {
    body: { mcp_id: mcpId, message: 'x', ai_model: '<vendor-a>-sonnet-4-5' },
  })
  expect(status).toBe(409)
  expect(body.error.details).toContain('ANTHROPIC_API_KEY')
})
