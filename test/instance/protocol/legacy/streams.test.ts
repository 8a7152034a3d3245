import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../../fixtures/instance/artifact.ts'
import {
  beginSession,
  messagesOf,
  open,
  post,
  readEvents,
  rpc,
  send,
} from '../../../helpers/clients/mcp-requests.ts'
import { type InstanceAddress, InstanceHarness } from '../../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../../helpers/vitest/fixture-programs.ts'

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  harness = new InstanceHarness({ program: fixtureProgram('scripted') })
  address = await harness.serve(createArtifact())
})
afterAll(() => harness.stop())

const steps = (id: number, waitMs = 0) =>
  rpc('tools/call', { name: 'in-steps', arguments: { waitMs }, _meta: { progressToken: `p${id}` } }, id)
const get = (headers: Record<string, string>) =>
  open(address.url, { headers: { ...headers, accept: 'text/event-stream' } })
const cancelledCount = async (session: Record<string, string>) =>
  Number(
    (await post(address.url, rpc('tools/call', { name: 'cancelled' }), session)).json.result.content[0].text,
  )

describe('a legacy tool that streams', () => {
  test('a streaming legacy tool sends progress and log messages in order, then the result, then the end', async () => {
    const session = await beginSession(address.url)
    const answer = await post(address.url, steps(7), session)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'mcp-session-id': session['mcp-session-id'],
    })
    const messages = messagesOf(answer.text).flatMap(event => event.json ?? [])
    expect(messages.map(message => message.method ?? 'result')).toEqual([
      'notifications/progress',
      'notifications/message',
      'notifications/progress',
      'notifications/message',
      'notifications/progress',
      'notifications/message',
      'result',
    ])
    expect(messages[0].params).toEqual({ progressToken: 'p7', progress: 1, total: 3, message: 'step 1' })
    expect(messages[1].params).toEqual({ level: 'info', logger: 'steps', data: 'line 1' })
    expect(messages[6]).toMatchObject({ id: 7, result: { content: [{ text: 'done' }] } })
  })

  test('sends no progress to a client that did not request it', async () => {
    const session = await beginSession(address.url)
    const answer = await post(address.url, rpc('tools/call', { name: 'in-steps' }), session)
    expect(answer.text).not.toContain('notifications/progress')
  })

  test('a streaming legacy tool starts with an event to resume from if the client supports events without data', async () => {
    const first = async (version: string) =>
      messagesOf((await post(address.url, steps(1), await beginSession(address.url, version))).text)[0]!
    expect(await first('2025-11-25')).toEqual({ id: expect.stringMatching(/^\d+-0$/), retry: 1000 })
    expect((await first('2025-06-18')).json.method).toBe('notifications/progress')
  })

  test('a legacy session can have several streaming calls at the same time', async () => {
    const session = await beginSession(address.url)
    const answers = await Promise.all([1, 2, 3].map(id => post(address.url, steps(id, 5), session)))
    expect(answers.map(answer => messagesOf(answer.text).at(-1)!.json.id)).toEqual([1, 2, 3])
  })

  test('a streaming legacy tool continues after its connection breaks, and Last-Event-ID returns the rest', async () => {
    const session = await beginSession(address.url)
    const broken = await open(address.url, { body: steps(9, 30), headers: session })
    const events = readEvents(broken)
    await events.next()
    const seen = await events.next()
    expect(seen!.json.params.progress).toBe(1)
    events.close()
    const rest = await get({ ...session, 'last-event-id': seen!.id! })
    const resumed = readEvents(rest)
    const messages = []
    for (let event = await resumed.next(); event; event = await resumed.next()) messages.push(event.json)
    expect(messages.map(message => message.params?.progress ?? message.params?.data ?? message.id)).toEqual([
      'line 1',
      2,
      'line 2',
      3,
      'line 3',
      9,
    ])
  })

  test('a finished legacy stream can be resumed, but only by its own session', async () => {
    const [session, other] = [await beginSession(address.url), await beginSession(address.url)]
    const events = messagesOf((await post(address.url, steps(3), session)).text)
    const resume = (headers: Record<string, string>, id: string) =>
      send(address.url, { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': id } })
    const again = messagesOf((await resume(session, events.at(-2)!.id!)).text)
    expect(again.map(event => event.json.id)).toEqual([3])
    for (const id of ['nonsense', '999-1', events[0]!.id!])
      expect((await resume(id === events[0]!.id ? other : session, id)).status).toBe(400)
  })
})

describe('notifications/cancelled', () => {
  const cancel = (session: Record<string, string>, requestId: unknown) =>
    post(address.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, session)

  test.each(['hang', 'hang-streaming'])(
    'notifications/cancelled stops the tool %s and ends its exchange without an answer',
    async name => {
      const session = await beginSession(address.url)
      const before = await cancelledCount(session)
      const hanging = post(address.url, rpc('tools/call', { name }, 'slow'), session)
      await expect
        .poll(async () => {
          await cancel(session, 'slow')
          return cancelledCount(session)
        })
        .toBe(before + 1)
      const answer = await hanging
      expect(answer.text).not.toContain('"id":"slow"')
    },
  )

  test('notifications/cancelled has no effect on requests of other sessions', async () => {
    const [session, other] = [await beginSession(address.url), await beginSession(address.url)]
    const hanging = await open(address.url, {
      body: rpc('tools/call', { name: 'hang-streaming' }, 'mine'),
      headers: session,
    })
    const before = await cancelledCount(session)
    await cancel(other, 'mine')
    expect(await cancelledCount(session)).toBe(before)
    await cancel(session, 'mine')
    expect(await cancelledCount(session)).toBe(before + 1)
    hanging.destroy()
  })

  test('the end of a session cancels its requests, as notifications/cancelled does', async () => {
    const session = await beginSession(address.url)
    const other = await beginSession(address.url)
    const before = await cancelledCount(other)
    const hanging = await open(address.url, {
      body: rpc('tools/call', { name: 'hang-streaming' }),
      headers: session,
    })
    await send(address.url, { method: 'DELETE', headers: session })
    expect(await cancelledCount(other)).toBe(before + 1)
    hanging.resume()
  })
})

describe('the GET stream of a session', () => {
  test('a session has at most one GET stream, which ends with the session', async () => {
    const session = await beginSession(address.url)
    const stream = await get(session)
    expect(stream.statusCode).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect((await send(address.url, { headers: { ...session, accept: 'text/event-stream' } })).status).toBe(
      409,
    )
    const ended = readEvents(stream).next()
    await send(address.url, { method: 'DELETE', headers: session })
    expect(await ended).toBeUndefined()
  })

  test('the GET stream of a session can be opened again after the client closed it', async () => {
    const session = await beginSession(address.url)
    ;(await get(session)).destroy()
    await expect
      .poll(async () => {
        const again = await get(session)
        again.destroy()
        return again.statusCode
      })
      .toBe(200)
  })

  test('a GET stream requires a session and a client that accepts events', async () => {
    const session = await beginSession(address.url)
    expect((await send(address.url, { headers: { ...session, accept: 'application/json' } })).status).toBe(
      406,
    )
    expect((await send(address.url, { headers: { accept: 'text/event-stream' } })).status).toBe(400)
    const unknown = { accept: 'text/event-stream', 'mcp-session-id': 'x' }
    expect((await send(address.url, { headers: unknown })).status).toBe(404)
  })
})

describe('a batch', () => {
  const batch = [
    rpc('ping', {}, 1),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    rpc('nope', {}, 'b'),
  ]

  test('a batch is answered in request order in a revision with batches', async () => {
    const session = await beginSession(address.url, '2025-03-26')
    const answer = await post(address.url, batch, session)
    expect(answer.status).toBe(200)
    expect(answer.json.map((one: { id: unknown }) => one.id)).toEqual([1, 'b'])
    expect(answer.json[1].error.code).toBe(-32601)
  })

  test('a batch of only notifications gets 202', async () => {
    const session = await beginSession(address.url, '2025-03-26')
    expect((await post(address.url, [batch[1]], session)).status).toBe(202)
  })

  test.each([
    ['is empty', []],
    ['is too long', Array.from({ length: 101 }, (_, id) => rpc('ping', {}, id))],
    ['contains a value that is not a message', [rpc('ping'), 1]],
    ['contains initialize', [rpc('initialize', {})]],
    [
      'contains a modern request',
      [rpc('ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } })],
    ],
  ])('a batch that %s is rejected', async (_name, messages) => {
    const session = await beginSession(address.url, '2025-03-26')
    const answer = await post(address.url, messages, session)
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600])
  })

  test.each(['2025-06-18', '2025-11-25'])('a batch is rejected in revision %s', async version => {
    const answer = await post(address.url, batch, await beginSession(address.url, version))
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600])
  })
})
