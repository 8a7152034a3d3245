import { afterEach, describe, expect, test } from 'vitest'
import { McpError, type Message, type Params } from '../../src/console/mcp/messages.ts'
import {
  call,
  closeServers,
  connectLegacy,
  connectModern,
  error,
  json,
  result,
  stream,
} from './hand-made-server.ts'

afterEach(closeServers)

describe('a server on revision 2026-07-28', () => {
  test('a modern request repeats its method and name in headers, and progress and messages arrive before the result', async () => {
    const { connection, sent } = await connectModern((message, _request, response) => {
      const { progressToken } = message.params!._meta as Params
      stream(
        response,
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } },
        { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
        result(message, { resultType: 'complete', content: [] }),
      ).end()
    })
    const seen: string[] = []
    const about = 'שלום'
    expect(await call(connection, { about, onNotification: method => seen.push(method) })).toEqual({
      content: [],
    })
    expect(seen).toEqual(['notifications/progress', 'notifications/message'])
    expect(sent.at(-1)!.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?16nXnNeV150=?=',
    })
  })

  test('a modern server gets the answers to its questions together with its request state', async () => {
    const { connection, sent } = await connectModern((message, _request, response) => {
      const { inputResponses } = message.params!
      const ask = { q: { method: 'elicitation/create', params: { message: 'Sure?' } } }
      const asking = { resultType: 'input_required', inputRequests: ask, requestState: 'opaque' }
      json(response, result(message, inputResponses ? { resultType: 'complete', ok: true } : asking))
    })
    const asked: unknown[] = []
    const answered = call(connection, {
      onQuestion: async question => {
        asked.push(question)
        return { action: 'decline' }
      },
    })
    expect(await answered).toEqual({ ok: true })
    expect(asked).toEqual([{ method: 'elicitation/create', params: { message: 'Sure?' } }])
    const answer = { name: 'a', inputResponses: { q: { action: 'decline' } }, requestState: 'opaque' }
    expect(sent.at(-1)!.message.params).toMatchObject(answer)
  })

  test('a call fails after a modern server has asked for input 50 times', async () => {
    const { connection } = await connectModern((message, _request, response) =>
      json(response, result(message, { resultType: 'input_required', requestState: 'again' })),
    )
    await expect(call(connection)).rejects.toThrow('asked questions 50 times')
  })

  test('an error from a modern server keeps its message, even with an HTTP error status', async () => {
    const { connection } = await connectModern((message, _request, response) =>
      json(response, error(message, -32602, 'No <b>such</b> tool'), 400),
    )
    const refused = await call(connection).catch(thrown => thrown)
    expect(refused).toBeInstanceOf(McpError)
    expect(refused).toMatchObject({ message: 'No <b>such</b> tool', code: -32602 })
  })

  test('a modern request is cancelled by closing the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { connection } = await connectModern((_message, _request, response) => {
      stream(response)
      response.once('close', closed.resolve)
      response.write(':\n\n')
    })
    const controller = new AbortController()
    const running = call(connection, { signal: controller.signal }).catch(thrown => thrown)
    setTimeout(() => controller.abort(), 50)
    expect(await running).toMatchObject({ name: 'AbortError' })
    await closed.promise
  })
})

describe('a server of the legacy era', () => {
  test('a legacy server gets a handshake, and every later request names the session', async () => {
    const { connection, sent } = await connectLegacy((message, _request, response) =>
      json(response, result(message, { content: [] })),
    )
    expect(connection).toMatchObject({ era: 'legacy', version: '2025-11-25', name: 'old 1' })
    expect(await call(connection)).toEqual({ content: [] })
    expect(sent.at(-1)!.headers).toMatchObject({
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
    })
  })

  test('a legacy server gets the answer to its question during the call, and an error for other kinds of questions', async () => {
    const answers = new Map<unknown, Message>()
    const { connection } = await connectLegacy((message, _request, response) => {
      if (message.method) {
        const ask = (id: string, method: string) => ({ jsonrpc: '2.0', id, method, params: {} })
        stream(response, ask('q1', 'sampling/createMessage'), ask('q2', 'roots/list'))
        const finish = () =>
          answers.size === 2
            ? response.end(`data: ${JSON.stringify(result(message, { content: ['done'] }))}\n\n`)
            : setTimeout(finish, 5)
        finish()
      } else {
        answers.set(message.id, message)
        response.writeHead(202).end()
      }
    })
    expect(await call(connection, { onQuestion: async () => ({ role: 'assistant' }) })).toEqual({
      content: ['done'],
    })
    expect(answers.get('q1')).toMatchObject({ result: { role: 'assistant' } })
    expect(answers.get('q2')).toMatchObject({ error: { code: -32601 } })
  })

  test('a stream that a legacy server closed early is resumed', async () => {
    const { connection, sent } = await connectLegacy((_message, request, response) => {
      if (request.method === 'GET') stream(response, result({ jsonrpc: '2.0', id: 2 }, { content: [] })).end()
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: e7\ndata:\n\n')
    })
    expect(await call(connection)).toEqual({ content: [] })
    expect(sent.at(-1)!.headers['last-event-id']).toBe('e7')
  })

  test('a legacy server gets another handshake after it ends the session', async () => {
    let calls = 0
    const { connection, sent } = await connectLegacy((message, _request, response) => {
      calls++
      if (calls === 1) json(response, error(message, -32001, 'Session not found'), 404)
      else json(response, result(message, { content: [] }))
    })
    expect(await call(connection)).toEqual({ content: [] })
    expect(sent.filter(({ message }) => message.method === 'initialize')).toHaveLength(2)
  })

  test('a legacy server is notified of a cancelled request, and its session ends with the connection', async () => {
    const { connection, sent } = await connectLegacy((_message, request, response) => {
      if (request.method === 'DELETE') response.writeHead(200).end()
      else stream(response).write(':\n\n')
    })
    const controller = new AbortController()
    const running = call(connection, { signal: controller.signal }).catch(() => 'cancelled')
    setTimeout(() => controller.abort(), 50)
    expect(await running).toBe('cancelled')
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 2 } }
    await expect.poll(() => sent.at(-1)!.message).toMatchObject(cancelled)
    connection.close()
    await expect
      .poll(() => sent.at(-1))
      .toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's1' } })
  })
})
