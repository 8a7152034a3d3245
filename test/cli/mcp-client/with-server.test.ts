import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServerConnection } from '../../../src/cli/mcp-client/server-connection.ts'
import { withServer } from '../../../src/cli/mcp-client/with-server.ts'
import { closeServer, startSdkServer } from '../../helpers/services/sdk-server.ts'

interface Message {
  id?: number
  method: string
  params?: Record<string, unknown>
}

type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

/** Starts a server that need not follow the protocol. Records the methods of all requests. */
async function startScripted(answer: Answer) {
  const methods: string[] = []
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const message = (await json(request)) as Message
    methods.push(message.method)
    answer(message, response, request)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  running.push({ close: () => closeServer(http) })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, methods }
}

const TOOL = { name: 'add', inputSchema: { type: 'object' as const } }

function send(response: ServerResponse, id: number | undefined, body: object, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
}

const complete = (members: object) => ({
  result: { resultType: 'complete', ttlMs: 0, cacheScope: 'public', ...members },
})

/** Starts a modern server with one tool. `answer` handles its calls. */
const startTools = (answer: Answer, tool: object = TOOL) =>
  startScripted((message, response, request) => {
    if (message.method === 'tools/list') send(response, message.id, complete({ tools: [tool] }))
    else answer(message, response, request)
  })

const callAdd = async (connection: ServerConnection) =>
  connection.callTool((await connection.listTools())[0]!, { a: 1 })

describe('withServer', () => {
  it('calls a modern server with one request per step', async () => {
    const { url, methods } = await startTools(({ id }, response) =>
      send(response, id, complete({ content: [{ type: 'text', text: '1' }] })),
    )
    expect(await withServer(url, {}, callAdd)).toMatchObject({ content: [{ type: 'text', text: '1' }] })
    expect(methods).toEqual(['tools/list', 'tools/call'])
  })

  it('reads all pages of a list', async () => {
    const { url } = await startScripted(({ id, params }, response) =>
      send(
        response,
        id,
        complete(
          params?.cursor === 'more'
            ? { prompts: [{ name: 'b' }] }
            : { prompts: [{ name: 'a' }], nextCursor: 'more' },
        ),
      ),
    )
    const prompts = await withServer(url, {}, connection => connection.listPrompts())
    expect(prompts).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  it('encodes a non-ASCII name for its header', async () => {
    let header: unknown
    const { url } = await startScripted(({ id }, response, request) => {
      header = request.headers['mcp-name']
      send(response, id, complete({ contents: [{ uri: 'city://Tromsø', text: 'cold' }] }))
    })
    await withServer(url, {}, connection => connection.readResource('city://Tromsø'))
    expect(header).toBe(`=?base64?${Buffer.from('city://Tromsø').toString('base64')}?=`)
  })

  it('withServer sends a token', async () => {
    let header: unknown
    const { url } = await startScripted(({ id }, response, request) => {
      header = request.headers.authorization
      send(response, id, complete({ tools: [] }))
    })
    await withServer(url, { token: 'secret' }, connection => connection.listTools())
    expect(header).toBe('Bearer secret')
  })

  it('uses the SDK for a legacy server', async () => {
    const { url, methods } = await startScripted(({ id, method }, response) => {
      if (method === 'initialize')
        return send(response, id, {
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'old', version: '1' },
          },
        })
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'tools/list' && methods.includes('initialize'))
        return send(response, id, { result: { tools: [TOOL] } })
      send(response, id, { error: { code: -32600, message: 'not initialized' } }, 400)
    })
    const tools = await withServer(url, {}, connection => connection.listTools())
    expect(tools).toEqual([TOOL])
  })

  it('uses the SDK for a tool whose arguments are repeated in headers', async () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    const tool = { name: 'add', inputSchema: { type: 'object', properties: { a: region } } }
    let header: unknown
    const { url } = await startTools(({ id, method }, response, request) => {
      header = request.headers['mcp-param-region']
      const discovered = {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
      }
      send(response, id, complete(method === 'server/discover' ? discovered : { content: [] }))
    }, tool)
    await withServer(url, {}, async connection => {
      const [add] = await connection.listTools()
      return connection.callTool(add!, { a: 'eu' })
    })
    expect(header).toBe('eu')
  })

  it.each([
    ['HTTP 500', 500, 'HTTP 500'],
    ['HTTP 503', 503, 'is not running'],
  ])('does not repeat a call that failed with %s', async (_name, status, words) => {
    const { url, methods } = await startTools((_message, response) => response.writeHead(status).end('no'))
    await expect(withServer(url, {}, callAdd)).rejects.toThrow(words)
    expect(methods).toEqual(['tools/list', 'tools/call'])
  })

  it('reports the error from a call', async () => {
    const { url } = await startTools(({ id }, response) =>
      send(response, id, { error: { code: -32602, message: 'Unknown tool: add' } }),
    )
    await expect(withServer(url, {}, callAdd)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Unknown tool: add',
    })
  })

  it('does not repeat a first request that the server handled and rejected', async () => {
    const { url, methods } = await startScripted(({ id }, response) =>
      send(response, id, { error: { code: -32602, message: 'Resource not found: docs://missing' } }),
    )
    await expect(
      withServer(url, {}, connection => connection.readResource('docs://missing')),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: 'Resource not found: docs://missing' })
    expect(methods).toEqual(['resources/read'])
  })

  it.each([
    ['HTTP 404, as since 2026-07-28', 404],
    ['HTTP 200', 200],
  ])('lists nothing for a server that answers lists with -32601 and %s', async (_name, status) => {
    const { url, methods } = await startScripted(({ id }, response) =>
      send(response, id, { error: { code: -32601, message: 'Method not found' } }, status),
    )
    const lists = (connection: ServerConnection) =>
      Promise.all([connection.listTools(), connection.listPrompts(), connection.listResources()])
    expect(await withServer(url, {}, lists)).toEqual([[], [], { resources: [], resourceTemplates: [] }])
    expect(methods).not.toContain('initialize')
    const read = withServer(url, {}, connection =>
      connection.readResource('a://b').catch(error => error.code),
    )
    expect(await read).toBe(-32601)
  })

  it.each([
    [{ resultType: 'complete' }, 'it sent an invalid MCP message'],
    [{ resultType: 'complete', content: [{ type: 'image' }] }, 'it sent an invalid MCP message'],
    [{ resultType: 'input_required', requestState: 'x' }, 'it asks the user for input'],
  ])('reports a call that returns the unusable result %j', async (result, words) => {
    const { url } = await startTools(({ id }, response) => send(response, id, { result }))
    const failure = await withServer(url, {}, callAdd).catch(error => error)
    expect(failure).toMatchObject({ code: 'UPSTREAM_FAILED' })
    expect(failure.message).toContain(words)
  })

  it.each([
    ['a stream that ends without an answer', (response: ServerResponse) => response.end(': at work\n\n')],
    [
      'a stream that breaks',
      (response: ServerResponse) => void response.write(': at work\n\n', () => response.destroy()),
    ],
  ])('fails a call immediately for %s', async (_name, cut) => {
    const { url } = await startTools((_message, response) => {
      cut(response.writeHead(200, { 'content-type': 'text/event-stream' }))
    })
    await expect(withServer(url, {}, callAdd)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `The connection to ${url} broke before the response arrived. The server may have stopped.`,
    })
  })

  it('closes the connection of a cancelled call', async () => {
    const cancel = new AbortController()
    const closed = Promise.withResolvers<void>()
    const { url } = await startTools((_message, response) => {
      response.on('close', () => closed.resolve())
      cancel.abort()
    })
    await expect(withServer(url, { signal: cancel.signal }, callAdd)).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    await closed.promise
  })

  it('reports a server that does not answer within the time limit', async () => {
    const { url } = await startScripted(() => {})
    await expect(
      withServer(url, { timeoutMs: 20 }, connection => connection.listTools()),
    ).rejects.toMatchObject({ code: 'TIMEOUT', message: `${url} did not answer in time.` })
  })

  it('reports an unreachable server', async () => {
    const { url, close } = await startSdkServer()
    await close()
    await expect(withServer(url, {}, callAdd)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${url} cannot be reached (ECONNREFUSED).`,
    })
  })

  it.each([
    [401, 'UNAUTHORIZED', 'requires a token'],
    [404, 'NOT_FOUND', 'There is no MCP server at'],
    [503, 'UNAVAILABLE', 'is not running'],
    [500, 'UPSTREAM_FAILED', 'HTTP 500'],
  ])('reports HTTP %i as %s', async (status, code, words) => {
    const { url } = await startScripted((_message, response) => response.writeHead(status).end('no'))
    const failure = await withServer(url, {}, callAdd).catch(error => error)
    expect(failure).toMatchObject({ code })
    expect(failure.message).toContain(words)
  })
})
