import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  modern,
  modernHeaders,
  open,
  post,
  readEvents,
  rpc,
  type SseEvent,
  send,
} from '../../helpers/clients/mcp-requests.ts'
import { type ModuleServer, startModules } from '../../helpers/instance/module-server.ts'
import { FILES } from './asking-project.ts'

let server: ModuleServer
let url: string
beforeAll(async () => {
  server = await startModules(FILES)
  url = server.address.url
})
afterAll(() => server.harness.stop())

const CAPABLE = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }
const SAMPLE = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }

async function session(capabilities: object = CAPABLE, revision = '2025-11-25') {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } }
  const { headers } = await post(url, rpc('initialize', params))
  return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': revision }
}

/** Calls a tool. Returns a function that reads the next message of its stream. */
async function ask(name: string, headers: Record<string, string>, id = 1) {
  const message = await open(url, { body: rpc('tools/call', { name }, id), headers })
  const events = readEvents(message)
  return async () => {
    let event: SseEvent | undefined
    do event = await events.next()
    while (event && event.json === undefined)
    return event?.json
  }
}

const answer = (headers: Record<string, string>, id: unknown, result: object) =>
  post(url, { jsonrpc: '2.0', id, result }, headers)

describe('a legacy session with server requests', () => {
  test('a legacy session gets a question on the stream of its call and posts the answer', async () => {
    const headers = await session()
    const next = await ask('name', headers)
    const question = await next()
    expect(question).toMatchObject({
      jsonrpc: '2.0',
      method: 'elicitation/create',
      params: { message: 'Name?', requestedSchema: { type: 'object' } },
    })
    const posted = await answer(headers, question.id, { action: 'accept', content: { name: 'Ann' } })
    expect([posted.status, posted.text]).toEqual([202, ''])
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: 'Hello Ann' }] } })
    expect(await next()).toBeUndefined()
  })

  test('a legacy session can get several questions at the same time and answer in any order', async () => {
    const headers = await session()
    const next = await ask('both', headers)
    const [first, second] = [await next(), await next()]
    expect([first.method, second.method]).toEqual(['sampling/createMessage', 'roots/list'])
    await answer(headers, second.id, { roots: [{ uri: 'file:///a' }] })
    await answer(headers, first.id, SAMPLE)
    const third = await next()
    await answer(headers, third.id, { action: 'accept', content: { n: 3 } })
    expect((await next()).result.content[0].text).toBe('yes13')
  })

  test('a tool fails when a legacy session answers with an error, or with a value that violates the form', async () => {
    const headers = await session()
    const refused = await ask('name', headers)
    const error = { code: -1, message: 'User rejected' }
    await post(url, { jsonrpc: '2.0', id: (await refused()).id, error }, headers)
    expect((await refused()).result).toMatchObject({ isError: true, content: [{ text: 'User rejected' }] })
    const next = await ask('both', headers)
    await answer(headers, (await next()).id, SAMPLE)
    await answer(headers, (await next()).id, { roots: [] })
    await answer(headers, (await next()).id, { action: 'accept', content: { n: 'x' } })
    expect((await next()).result.content[0].text).toContain('does not match the form: "n"')
    const plain = await ask('name', headers)
    await answer(headers, (await plain()).id, { action: 'accept', content: { name: 5 } })
    expect((await plain()).result.content[0].text).toContain(
      'does not match the form: "name" must be a string',
    )
  })

  test('a legacy session gets no question that requires a missing capability', async () => {
    const refused = async (name: string, capabilities: object) =>
      (await post(url, rpc('tools/call', { name }), await session(capabilities))).json.result
    const lacks = (capability: string) => ({
      isError: true,
      content: [
        { text: `elicitation/create needs the capability "${capability}", which the client did not declare` },
      ],
    })
    expect(await refused('name', { sampling: {} })).toMatchObject(lacks('elicitation'))
    expect(await refused('page', { elicitation: {} })).toMatchObject(lacks('elicitation.url'))
  })

  test('a legacy session cannot answer for another session, or twice', async () => {
    const [headers, other] = [await session(), await session()]
    const next = await ask('name', headers)
    const { id } = await next()
    await answer(other, id, { action: 'accept', content: { name: 'Eve' } })
    await answer(headers, id, { action: 'decline' })
    await answer(headers, id, { action: 'accept', content: { name: 'Eve' } })
    expect((await next()).result.content[0].text).toBe('decline')
  })

  test('a legacy client is notified when a call is cancelled, so that it need not answer', async () => {
    const headers = await session()
    const next = await ask('name', headers, 9)
    const { id } = await next()
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }, headers)
    expect(await next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } })
    expect(await next()).toBeUndefined()
  })

  test('a handler that returns its questions to a legacy session runs again with the answers', async () => {
    const headers = await session()
    const next = await ask('by_hand', headers)
    await answer(headers, (await next()).id, { roots: [] })
    expect(JSON.parse((await next()).result.content[0].text)).toEqual([{ q: { roots: [] } }, { kept: 1 }])
  })

  test('resumes a lost GET stream with the messages that the client missed', async () => {
    const headers = await session()
    const listen = async (more: object) =>
      readEvents(await open(url, { headers: { ...headers, accept: 'text/event-stream', ...more } }))
    const announce = () => post(url, rpc('tools/call', { name: 'announce' }), headers)
    const lost = await listen({})
    const { id } = (await lost.next())!
    await announce()
    const stream = await listen({ 'last-event-id': id })
    await announce()
    for (const _ of [1, 2])
      expect((await stream.next())!.json.method).toBe('notifications/tools/list_changed')
    stream.close()
  })

  test('a legacy session is notified of list changes and of updates to subscribed resources on its GET stream', async () => {
    const headers = await session()
    const other = await session()
    const listen = async (who: Record<string, string>) =>
      readEvents(await open(url, { headers: { ...who, accept: 'text/event-stream' } }))
    const [stream, quiet] = [await listen(headers), await listen(other)]
    await post(url, rpc('resources/subscribe', { uri: 'test://a' }), headers)
    await post(url, rpc('tools/call', { name: 'announce' }), headers)
    await post(url, rpc('resources/unsubscribe', { uri: 'test://a' }), headers)
    await post(url, rpc('tools/call', { name: 'announce' }), headers)
    const methods = async (events: typeof stream, count: number) => {
      const found: string[] = []
      while (found.length < count) {
        const { json } = (await events.next())!
        if (json) found.push(json.method)
      }
      return found
    }
    const list = 'notifications/tools/list_changed'
    expect(await methods(stream, 3)).toEqual([list, 'notifications/resources/updated', list])
    expect(await methods(quiet, 2)).toEqual([list, list])
    stream.close()
    quiet.close()
  })
})

describe('a client without a session', () => {
  const PREFIX = 'io.modelcontextprotocol/'
  const request = (method: string, params: Record<string, unknown>, capabilities: object = CAPABLE) =>
    send(url, {
      body: modern(method, params, { [`${PREFIX}clientCapabilities`]: capabilities }),
      headers: modernHeaders(method, String(params.name ?? params.uri)),
    })
  const call = async (name: string, more: object = {}, capabilities?: object) =>
    (await request('tools/call', { name, ...more }, capabilities)).json

  test('a client without a session gets a question as the result and continues with its next attempt', async () => {
    const { result } = await call('name')
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'question-1': { method: 'elicitation/create', params: { message: 'Name?' } } },
      requestState: expect.any(String),
    })
    const inputResponses = { 'question-1': { action: 'accept', content: { name: 'Ann' } } }
    const { result: done } = await call('name', { inputResponses, requestState: result.requestState })
    expect(done).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello Ann' }] })
  })

  test('a client without a session gets simultaneous questions together and need not repeat earlier answers', async () => {
    const { result: first } = await call('both')
    expect(Object.keys(first.inputRequests)).toEqual(['question-1', 'question-2'])
    const { result: second } = await call('both', {
      inputResponses: { 'question-1': SAMPLE, 'question-2': { roots: [{}] } },
      requestState: first.requestState,
    })
    expect(Object.keys(second.inputRequests)).toEqual(['question-3'])
    const { result } = await call('both', {
      inputResponses: { 'question-3': { action: 'accept', content: { n: 4 } } },
      requestState: second.requestState,
    })
    expect(result.content[0].text).toBe('yes14')
  })

  test('a client without a session cannot use a state that was changed, or that belongs to another call', async () => {
    const { requestState } = (await call('name')).result
    const inputResponses = { 'question-1': { action: 'decline' } }
    for (const params of [
      { inputResponses, requestState: `${requestState}x` },
      { inputResponses, requestState, arguments: { other: 1 } },
      { inputResponses: null },
      { requestState: 5 },
    ])
      expect((await call('name', params)).error.code, JSON.stringify(params)).toBe(-32602)
    expect((await call('tidied', { inputResponses, requestState })).error.code).toBe(-32602)
  })

  test('a client without a session gets an error with the missing capability when it cannot be asked', async () => {
    const { status, json } = await request('tools/call', { name: 'page' }, { elicitation: {} })
    expect([status, json.error]).toMatchObject([
      400,
      { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    ])
  })

  test('a handler that asks a client without a session is aborted and can clean up', async () => {
    const before = Number((await call('tidied')).result.content[0].text)
    await call('tidy')
    expect(Number((await call('tidied')).result.content[0].text)).toBe(before + 1)
  })

  test('a client without a session can be asked by a handler that does not await its questions', async () => {
    expect(Object.keys((await call('careless')).result.inputRequests)).toHaveLength(2)
    expect((await call('tidied')).result.isError).toBeUndefined()
  })

  test('a client without a session gets the questions that a handler returns', async () => {
    const { result } = await call('by_hand')
    const { result: done } = await call('by_hand', {
      inputResponses: { q: { roots: [] } },
      requestState: result.requestState,
    })
    expect(JSON.parse(done.content[0].text)).toEqual([{ q: { roots: [] } }, { kept: 1 }])
  })

  test('a client without a session gets questions from a resource handler', async () => {
    const { json } = await request('resources/read', { uri: 'test://a' })
    const { requestState } = json.result
    const again = { uri: 'test://a', requestState, inputResponses: { 'question-1': SAMPLE } }
    expect((await request('resources/read', again)).json.result.contents[0].text).toBe('yes')
  })

  test('a client without a session receives only subscribed notifications', async () => {
    const listen = async (notifications: object, id: number) =>
      readEvents(
        await open(url, {
          body: { ...modern('subscriptions/listen', { notifications }), id },
          headers: modernHeaders('subscriptions/listen'),
        }),
      )
    const tools = await listen({ toolsListChanged: true }, 11)
    const resource = await listen({ resourceSubscriptions: ['test://a'], promptsListChanged: true }, 12)
    for (const events of [tools, resource])
      expect((await events.next())!.json.method).toBe('notifications/subscriptions/acknowledged')
    await call('announce')
    expect((await tools.next())!.json).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { [`${PREFIX}subscriptionId`]: 11 } },
    })
    expect((await resource.next())!.json).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'test://a', _meta: { [`${PREFIX}subscriptionId`]: 12 } },
    })
    tools.close()
    resource.close()
  })
})

test('a call in a batch cannot ask the client', async () => {
  const headers = await session(CAPABLE, '2025-03-26')
  const { text } = await post(url, [rpc('tools/call', { name: 'name' })], headers)
  expect(JSON.parse(text)[0].result.content[0].text).toContain('cannot be sent to the client during a batch')
})
