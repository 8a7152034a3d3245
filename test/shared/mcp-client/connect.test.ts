import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToServer } from '../../../src/shared/mcp-client/connect.ts'
import { toHostingError } from '../../../src/shared/mcp-client/errors.ts'
import { closeServer, startSdkServer } from '../../helpers/services/sdk-server.ts'

let server: Awaited<ReturnType<typeof startSdkServer>>
beforeAll(async () => {
  server = await startSdkServer()
})
afterAll(() => server.close())

describe('connectToServer', () => {
  it('uses the newest protocol version of the server', async () => {
    const connection = await connectToServer(server.url)
    expect(connection.protocolVersion).toBe('2026-07-28')
    await connection.close()
  })

  it('reports an unreachable server', async () => {
    const http = createServer()
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    await closeServer(http)
    await expect(connectToServer(url)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${url} cannot be reached (ECONNREFUSED).`,
    })
  })

  it.each([
    ['a stream that ends without an answer', ': at work\n\n'],
    ['a stream that breaks', undefined],
  ])('fails a call immediately for %s', async (_how, text) => {
    const relay = await startCuttingRelay(server.url, text)
    const { client, close } = await connectToServer(relay.url)
    const failure = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }).catch(error => error)
    await close()
    expect(toHostingError(failure, relay.url)).toMatchObject({
      code: 'UNAVAILABLE',
      message: `The connection to ${relay.url} broke before the response arrived. The server may have stopped.`,
    })
    await relay.close()
  })

  it('accepts responses up to maxResponseBytes and rejects larger ones', async () => {
    const { client, close } = await connectToServer(server.url, { maxResponseBytes: 10_000 })
    const answer = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
    expect(answer.content).toEqual([{ type: 'text', text: '3' }])
    await close()
    await expect(connectToServer(server.url, { maxResponseBytes: 20 })).rejects.toThrow(
      'The response is larger than 20 bytes.',
    )
  })

  it.each([
    [401, 'UNAUTHORIZED', 'requires a token'],
    [404, 'NOT_FOUND', 'There is no MCP server at'],
    [503, 'UNAVAILABLE', 'is not running'],
    [500, 'UPSTREAM_FAILED', 'HTTP 500'],
  ])('reports HTTP %i as %s', async (status, code, words) => {
    const http = createServer((_request, response) => response.writeHead(status).end('no'))
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const failure = await connectToServer(url).catch(error => error)
    await closeServer(http)
    expect(failure).toMatchObject({ code })
    expect(failure.message).toContain(words)
  })
})

/** Starts a relay that ends the response to a tool call after `text`. Without `text`, it breaks the connection. */
async function startCuttingRelay(target: string, text?: string) {
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (body.includes('"tools/call"')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return text === undefined
        ? response.write(': at work\n\n', () => response.destroy())
        : response.end(text)
    }
    const { connection: _own, host: _name, ...headers } = request.headers as Record<string, string>
    const answer = await fetch(target, { method: 'POST', headers, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => closeServer(http) }
}
