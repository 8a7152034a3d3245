import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { eventually } from '../../../helpers/daemon/mcp.ts'
import { type ModelStub, startModelStub } from '../../../helpers/services/model-stub.ts'

let daemon: TestDaemon
let stub: ModelStub
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())
afterEach(() => stub?.close())

async function build(name: string, text: string): Promise<string> {
  const tool = {
    name: 'say',
    description: 'Says',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text },
  }
  const { body } = await daemon.api('POST', '/v1/build', { body: { name, template: 'basic', tools: [tool] } })
  return body.data.mcp_id
}

const CALL = { calls: [{ name: 'say', arguments: {} }] }

function send(mcp_id: string, more: Record<string, unknown> = {}) {
  const body = { mcp_id, message: 'say it', ai_model: `openai:m@${stub.url}`, ...more }
  return daemon.api('POST', '/v1/test', { body })
}

test('tests an older build next to the preview of the newest', async () => {
  const older = await build('versions', 'old')
  const newer = await build('versions', 'new')
  stub = await startModelStub('compatible', [
    body => (JSON.stringify(body).includes('"tool"') ? { text: 'done' } : CALL),
  ])
  const answers = await Promise.all([older, newer, older].map(id => send(id)))
  const texts = answers.map(({ body }) => body.data.tool_calls[0].result.content[0].text)
  expect(texts).toEqual(['old', 'new', 'old'])
  await expect.poll(async () => (await daemon.api('DELETE', `/v1/build/${older}`)).status).toBe(204)
})

test('passes the context to templates and the model', async () => {
  const id = await build('context', '{{ context.user_id }} has {{ context.session_data.items }}')
  stub = await startModelStub('compatible', [CALL, { text: 'done' }])
  const context = { user_id: 'ada', session_data: { items: 3 } }
  const { body } = await send(id, { context })
  expect(body.data.tool_calls[0].result.content[0].text).toBe('ada has 3')
  expect(JSON.stringify(stub.requests[0]!.body)).toContain('The user\'s id is \\"ada\\"')
})

test('offers the model only allowed tools that are not denied', async () => {
  const id = await build('filter', 'x')
  stub = await startModelStub('compatible', [{ text: 'ok' }])
  await send(id, { tools: { allow: ['s*y'] } })
  await send(id, { tools: { deny: ['*'] } })
  const offered = stub.requests.map(({ body }) => (body.tools as unknown[] | undefined)?.length ?? 0)
  expect(offered).toEqual([1, 0])
})

test('continues a chat, pages through it and removes it with its messages', async () => {
  const id = await build('chats', 'said')
  stub = await startModelStub('compatible', [CALL, { text: 'first' }, { text: 'second' }])
  const { body: first } = await send(id)
  const { chat_id } = first.data
  const { body: second } = await send(id, { chat_id, message: 'again' })
  expect(second.data).toMatchObject({ chat_id, ai_response: 'second' })
  const sent = JSON.stringify(stub.requests[2]!.body)
  for (const text of ['say it', 'said', 'first', 'again']) expect(sent).toContain(text)

  const page = await daemon.api('GET', `/api/chat-messages/chat/id/${chat_id}?limit=4`)
  expect(page.body.items.map(({ role, text }: { role: string; text: string }) => [role, text])).toEqual([
    ['user', 'say it'],
    ['assistant', ''],
    ['tool', ''],
    ['assistant', 'first'],
  ])
  const rest = await daemon.api(
    'GET',
    `/api/chat-messages/chat/id/${chat_id}?nextToken=${page.body.nextToken}`,
  )
  expect(rest.body).toMatchObject({ items: [{ text: 'again' }, { text: 'second' }], nextToken: null })
  expect((await daemon.api('GET', `/api/chats/${chat_id}`)).body.title).toBe('say it')
  const count = await daemon.api('GET', `/api/chat-messages/chat/id/${chat_id}/count`)
  expect(count.body).toEqual({ chatId: chat_id, messageCount: 6, countedAt: expect.stringMatching(/Z$/) })
  expect((await daemon.api('DELETE', `/api/chats/${chat_id}`)).status).toBe(204)
  expect((await daemon.api('GET', `/api/chat-messages/chat/id/${chat_id}`)).status).toBe(404)
})

test('a chat belongs to one server and accepts one message at a time', async () => {
  const [one, other] = [await build('one', 'x'), await build('other', 'x')]
  stub = await startModelStub('compatible', [{ text: 'hello' }, { silent: true }])
  const { chat_id } = (await send(one)).body.data
  expect((await send(other, { chat_id })).body.error.message).toContain('belongs to the server "one"')
  const waiting = send(one, { chat_id, limits: { seconds: 1 } })
  await eventually(() => stub.requests.length === 2)
  expect((await send(one, { chat_id })).body.error).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('waiting for the answer'),
  })
  expect((await waiting).status).toBe(503)
})

test('streams calls, answers and text, and ends with the result', async () => {
  const id = await build('stream', 'said')
  stub = await startModelStub('compatible', [CALL, { text: 'it was said' }])
  const { text } = await daemon.api('POST', '/v1/test', {
    body: { mcp_id: id, message: 'say it', ai_model: `openai:m@${stub.url}` },
    headers: { accept: 'text/event-stream' },
  })
  const events = text
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  expect(events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'call',
    'answer',
    'text',
    'result',
  ])
  expect(events.at(-1).result).toMatchObject({ ai_response: 'it was said', tools_used: ['say'] })
})

test('runs the calls of one turn in parallel', async () => {
  const wait = {
    name: 'say',
    description: 'Says after a while',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: 'said', emit: [{ waitMs: 300 }] },
  }
  const { body } = await daemon.api('POST', '/v1/build', {
    body: { name: 'parallel', template: 'advanced', tools: [wait] },
  })
  stub = await startModelStub('compatible', [{ calls: [...CALL.calls, ...CALL.calls] }, { text: 'done' }])
  const { text } = await daemon.api('POST', '/v1/test', {
    body: { mcp_id: body.data.mcp_id, message: 'say it twice', ai_model: `openai:m@${stub.url}` },
    headers: { accept: 'text/event-stream' },
  })
  const events = [...text.matchAll(/"type":"(call|answer)"/g)].map(([, type]) => type)
  expect(events).toEqual(['call', 'call', 'answer', 'answer'])
})

test('an error during a stream is sent as an event', async () => {
  stub = await startModelStub('compatible', [{ status: 400 }])
  const { text } = await daemon.api('POST', '/v1/test', {
    body: { mcp_id: await build('broken', 'x'), message: 'say it', ai_model: `openai:m@${stub.url}` },
    headers: { accept: 'text/event-stream' },
  })
  expect(text).toContain('"type":"error","error":{"code":"UPSTREAM_FAILED"')
})

test('a disconnected client stops its run', async () => {
  const id = await build('gone', 'x')
  stub = await startModelStub('compatible', [{ silent: true }])
  const body = JSON.stringify({ mcp_id: id, message: 'say it', ai_model: `openai:m@${stub.url}` })
  const headers = { authorization: `Bearer ${daemon.ownerKey}`, 'content-type': 'application/json' }
  const leaving = request(new URL('/v1/test', daemon.url), { method: 'POST', headers }).on('error', () => {})
  leaving.end(body)
  await eventually(() => stub.requests.length === 1)
  leaving.destroy()
  await eventually(() => stub.requests[0]!.aborted)
  const { body: chats } = await daemon.api('GET', '/api/chats?name=gone')
  expect(chats.items).toEqual([])
})

test('rejects an unknown build, an unknown chat and an unknown model', async () => {
  stub = await startModelStub('compatible', [{ text: 'x' }])
  expect((await send('mcp_none')).status).toBe(404)
  expect((await send(await build('unknown-chat', 'x'), { chat_id: 'chat_none' })).status).toBe(404)
  expect((await send(await build('unknown-model', 'x'), { ai_model: 'nonsense' })).body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    details: expect.stringContaining('gguf:<file>'),
  })
})

test('a tool slower than the time limit ends the run, and its call is reported as unanswered', async () => {
  const slow = {
    name: 'say',
    description: 'Says slowly',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: 'late', emit: [{ waitMs: 10_000 }] },
  }
  const { body } = await daemon.api('POST', '/v1/build', {
    body: { name: 'slow', template: 'advanced', tools: [slow] },
  })
  stub = await startModelStub('compatible', [CALL])
  const answer = await send(body.data.mcp_id, { limits: { seconds: 1 } })
  expect(answer.body.data).toMatchObject({
    stopped_by: 'seconds',
    success_rate: 0,
    tool_calls: [{ name: 'say', error: expect.any(String) }],
  })
})
