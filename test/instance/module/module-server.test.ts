import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginSession, messagesOf, post, postModern, rpc } from '../../helpers/clients/mcp-requests.ts'
import { type ModuleServer, startModules } from '../../helpers/instance/module-server.ts'
import { FILES } from './handlers-project.ts'

let server: ModuleServer
let url: string
beforeAll(async () => {
  const env = [{ name: 'REGION', required: false, default: 'eu-west' }, 'UNSET']
  server = await startModules(FILES, {
    request: { env: env as never },
    tenant: { env: { REGION: 'eu-west' } },
  })
  url = server.address.url
})
afterAll(() => server.harness.stop())

const call = async (name: string, args: object = {}, more: object = {}) =>
  (await postModern(url, 'tools/call', { name, arguments: args, ...more })).json
const result = async (name: string, args: object = {}) => (await call(name, args)).result

describe("a module handler's answer", () => {
  test("a handler's answer can be text, nothing or content blocks", async () => {
    expect((await result('text')).content).toEqual([{ type: 'text', text: 'plain' }])
    expect((await result('nothing')).content).toEqual([])
    expect((await result('blocks')).content).toEqual([
      { type: 'text', text: 'one' },
      { type: 'resource_link', uri: 'a://b', name: 'B' },
    ])
    expect((await result('bytes')).content).toEqual([{ type: 'image', data: 'AQID', mimeType: 'image/png' }])
  })

  test("a handler's answer becomes structured content and text when it is an object", async () => {
    expect(await result('object')).toMatchObject({
      content: [{ type: 'text', text: '{"a":1,"b":[2]}' }],
      structuredContent: { a: 1, b: [2] },
    })
    expect((await result('list')).structuredContent).toEqual([1, 2, 3])
  })

  test('an array from a handler is sent only as text to a client that supports only objects as structured content', async () => {
    const session = await beginSession(url)
    const { json } = await post(url, rpc('tools/call', { name: 'list' }), session)
    expect(json.result).toEqual({ content: [{ type: 'text', text: '[1,2,3]' }] })
  })

  test("a handler's answer is a tool error when the handler returns error()", async () => {
    expect(await result('failure')).toMatchObject({
      isError: true,
      content: [{ text: 'not today' }],
      _meta: { why: 'rain' },
    })
  })

  test("a handler's answer is a tool error without environment values when the handler throws", async () => {
    expect(await result('throws')).toMatchObject({
      isError: true,
      content: [{ text: 'it broke on [redacted]' }],
    })
  })

  test("a handler's answer is a JSON-RPC error when the handler throws an McpError", async () => {
    expect((await call('protocol_error')).error).toEqual({ code: -32099, message: 'mine', data: { a: 1 } })
  })

  test("a handler's answer is checked against the output schema", async () => {
    expect(await result('typed', { t: 1 })).toMatchObject({ structuredContent: { t: 1 } })
    const refused = await result('typed', { t: 'x' })
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toContain(
      'does not match its output schema: "t" must be a number, not "x"',
    )
  })
})

/** The last line of the log with this text. A line may arrive in parts. */
const logged = async (part: string) => {
  for (;;) {
    const line = server.harness.output
      .split('\n')
      .slice(0, -1)
      .findLast(line => line.includes(part))
    if (line) return JSON.parse(line)
    await once(server.harness.child.stdout!, 'data')
  }
}

describe('the log of a module', () => {
  test("the log of a module contains the stack trace of a failed handler with positions in the project's files", async () => {
    await result('throws')
    const line = await logged('throws failed')
    expect(line).toMatchObject({ level: 'error', stream: 'server' })
    expect(line.message).toMatch(
      /^throws failed: Error: it broke on \[redacted\]\n {4}at Object.handler \(tools\/throws.ts:2:\d+\)$/,
    )
  })

  test('the log of a module limits the output rate and reports what was dropped', async () => {
    await result('floods')
    expect((await logged('were dropped')).message).toMatch(/^\d+ lines \(\d+ KB\) of output were dropped/)
    expect(server.harness.output.length).toBeLessThan(3_000_000)
  })

  test('the log of a module contains what handlers log for their clients', async () => {
    await result('said')
    expect(await logged('{\\"a\\":1}')).toMatchObject({ level: 'warn', message: '{"a":1}' })
  })
})

describe("a module handler's arguments", () => {
  test("a handler's arguments are validated before the call, with defaults filled in", async () => {
    expect((await result('math/sum')).content[0].text).toBe('2')
    expect(await result('math/sum', { a: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: 'Invalid arguments for math/sum: "a" must be a number, not "x"' }],
    })
  })

  test("a handler's arguments are transformed by the schema library", async () => {
    expect((await result('zod', { when: 'four' })).structuredContent).toEqual({ length: 4, unit: 'c' })
    expect((await result('zod', { when: 'a', even: 3 })).content[0].text).toBe(
      'Invalid arguments for zod: "even": must be even',
    )
    expect((await result('zod', { when: 'a', unit: 'k' })).content[0].text).toContain(
      'must be one of "c", "f"',
    )
  })

  test('a tool can declare its schemas as inputSchema and outputSchema', async () => {
    expect((await result('protocol_names', { text: 'hi' })).structuredContent).toEqual({ said: 'hi' })
    expect((await result('protocol_names', {})).isError).toBe(true)
  })

  test("a handler's arguments are described to clients as JSON Schema", () => {
    const zod = server.artifact.tools.find(({ name }) => name === 'zod')!
    expect(zod).toMatchObject({
      title: 'With zod',
      inputSchema: {
        type: 'object',
        properties: {
          when: { type: 'string' },
          unit: { enum: ['c', 'f'], default: 'c', description: 'The unit' },
        },
        required: ['when'],
      },
      outputSchema: { type: 'object', required: ['length', 'unit'] },
      handler: { type: 'module', path: 'tools/zod.ts', export: 'default' },
    })
  })
})

describe("a module handler's context", () => {
  test("a handler's context contains the declared environment, the client and the token", async () => {
    const { structuredContent } = (
      await postModern(url, 'tools/call', { name: 'facts' }, { authorization: 'Bearer from-header' })
    ).json.result
    expect(structuredContent).toMatchObject({
      env: { REGION: 'eu-west' },
      token: 'from-header',
      hasSession: false,
      client: { protocolVersion: '2026-07-28' },
    })
  })

  test("a handler's context contains all variables of the deployment if the server declares none", async () => {
    const { harness, address } = await startModules(
      { 'tools/facts.ts': FILES['tools/facts.ts'] },
      { tenant: { env: { KEY: 'given' } } },
    )
    const { json } = await postModern(address.url, 'tools/call', { name: 'facts' })
    expect(json.result.structuredContent.env).toEqual({ KEY: 'given' })
    await harness.stop()
  })

  test('prefers the token in the _meta of a request to the token in its Authorization header', async () => {
    const session = await beginSession(url)
    const params = { name: 'facts', _meta: { authorization: { token: 'from-meta' } } }
    const { json } = await post(url, rpc('tools/call', params), { ...session, authorization: 'Bearer h' })
    expect(json.result.structuredContent).toMatchObject({
      token: 'from-meta',
      hasSession: true,
      client: { protocolVersion: '2025-11-25', info: { name: 'test', version: '1' } },
    })
  })

  test('turns the answer into a stream when the handler sends its first message', async () => {
    const session = await beginSession(url)
    const quiet = await post(url, rpc('tools/call', { name: 'text' }), session)
    expect(quiet.headers['content-type']).toBe('application/json')
    const params = { name: 'said', _meta: { progressToken: 7 } }
    const answer = await post(url, rpc('tools/call', params), session)
    const messages = messagesOf(answer.text).flatMap(({ json }) => json ?? [])
    expect(messages).toMatchObject([
      {
        method: 'notifications/progress',
        params: { progressToken: 7, progress: 1, total: 2, message: 'half' },
      },
      { method: 'notifications/message', params: { level: 'warning', logger: 'mine', data: { a: 1 } } },
      { result: { content: [{ text: 'said' }] } },
    ])
  })

  test('the methods of a context and its store can be used without their objects', async () => {
    const session = await beginSession(url)
    const params = { name: 'destructured', _meta: { progressToken: 7 } }
    const messages = messagesOf((await post(url, rpc('tools/call', params), session)).text)
    const sent = messages.flatMap(({ json }) => json ?? [])
    const logged = sent.filter(({ method }) => method === 'notifications/message')
    expect(logged.map(({ params }) => params.data)).toEqual([
      'log',
      'debug',
      'info',
      'notice',
      'warning',
      'error',
    ])
    expect(sent.find(({ method }) => method === 'notifications/progress').params.message).toBe('half')
    const failures = JSON.parse(sent.at(-1).result.content[0].text)
    expect(failures.slice(0, 4)).toEqual(
      Array(4).fill(expect.stringContaining('which the client did not declare')),
    )
    expect(failures.slice(4)).toEqual(Array(6).fill('This server has no store.'))
  })

  test('a cancelled call aborts the signal of its handler and ends without an answer', async () => {
    const session = await beginSession(url)
    const waiting = post(url, rpc('tools/call', { name: 'waits' }, 5), session)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
    // The first notification may arrive before the request.
    const answered = waiting.then(() => true)
    while (!(await Promise.race([answered, post(url, cancel, session).then(() => false)])));
    const { status, text } = await waiting
    expect([status, text]).toEqual([202, ''])
    expect(await logged('waits was cancelled')).toMatchObject({ stream: 'stdout' })
  })
})

describe('module resources', () => {
  const read = async (uri: string) => (await postModern(url, 'resources/read', { uri })).json

  test('module resources return text or bytes', async () => {
    expect((await read('test://motd')).result.contents).toEqual([
      { uri: 'test://motd', mimeType: 'text/plain', text: 'Hello' },
    ])
    expect((await read('test://raw')).result.contents[0].blob).toBe('aGk=')
  })

  test('module resources get the variables of their template', async () => {
    const { contents } = (await read('test://items/7?q=x')).result
    expect(JSON.parse(contents[0].text)).toEqual({ id: '7', q: 'x', uri: 'test://items/7?q=x' })
  })

  test('module resources can fail with their own message', async () => {
    expect((await read('test://items/0')).error).toMatchObject({ code: -32602, message: 'No item 0' })
  })
})

describe('module prompts and completions', () => {
  test('a prompt returns messages and requires its arguments', async () => {
    const get = async (args: object) =>
      (await postModern(url, 'prompts/get', { name: 'greet', arguments: args })).json
    expect((await get({ name: 'Ann' })).result).toMatchObject({
      description: 'Greets',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Hello Ann' } },
        { role: 'assistant', content: { type: 'text', text: 'I am fine' } },
      ],
    })
    expect((await get({})).error.message).toBe('Prompt greet needs the argument "name"')
  })

  test('completions come from a list or a function', async () => {
    const complete = async (ref: object, name: string, value: string) =>
      (await postModern(url, 'completion/complete', { ref, argument: { name, value } })).json.result
        .completion.values
    const prompt = { type: 'ref/prompt', name: 'greet' }
    const item = { type: 'ref/resource', uri: 'test://items/{id}{?q}' }
    expect(await complete(prompt, 'name', 'b')).toEqual(['bob'])
    expect(await complete(item, 'id', '1')).toEqual(['1', '12'])
    expect(await complete(item, 'q', 'ro')).toEqual(['rose'])
  })

  test('the server declares that its lists may change', async () => {
    const { capabilities } = (await postModern(url, 'server/discover')).json.result
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
  })
})
