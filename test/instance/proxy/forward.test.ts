import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Pool } from 'undici'
import { afterEach, expect, test } from 'vitest'
import type { HttpExchange } from '../../../src/instance/http/http-exchange.ts'
import { forward } from '../../../src/instance/proxy/forward.ts'

const servers: Server[] = []
const pools: Pool[] = []

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.destroy()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const tenant = {
  config: { url: 'http://127.0.0.1:1/mcp' },
  shouldCloseConnection: () => false,
} as HttpExchange['tenant']

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  return listenOnFreePort(server)
}

/** Origin of a port without a listener. */
async function deadOrigin(): Promise<string> {
  const server = createServer()
  const origin = await listenOnFreePort(server)
  await once(server.close(), 'close')
  return origin
}

async function listenOnFreePort(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function poolOf(origin: string): Pool {
  const pool = new Pool(origin)
  pools.push(pool)
  return pool
}

test('a request that was not received can be sent again with its body', async () => {
  const echo = poolOf(await serve((request, response) => request.pipe(response)))
  const dead = poolOf(await deadOrigin())
  const codes: unknown[] = []
  const origin = await serve(async (request, response) => {
    for (const pool of [dead, dead, echo])
      codes.push((await forward({ tenant, request, response }, pool, '/'))?.code)
  })
  const body = 'x'.repeat(10 * 1024 * 1024)
  const answer = await fetch(origin, { method: 'POST', body })
  expect((await answer.text()) === body).toBe(true)
  expect(codes).toEqual(['ECONNREFUSED', 'ECONNREFUSED', undefined])
})

test('returns the error when the program disconnects while the request body is sent', async () => {
  const breaking = poolOf(await serve(request => void request.once('data', () => request.socket.destroy())))
  const origin = await serve(async (request, response) => {
    const fault = await forward({ tenant, request, response }, breaking, '/')
    request.resume()
    response.writeHead(502).end(fault?.code)
  })
  const answer = await fetch(origin, { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024) })
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringMatching(/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/),
  ])
})

test('a request whose client has disconnected is not sent', async () => {
  const paths: unknown[] = []
  const upstream = poolOf(
    await serve((request, response) => {
      paths.push(request.url)
      response.end()
    }),
  )
  const gone = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const origin = await serve(async (request, response) => {
    gone.abort()
    await once(response, 'close')
    await forward({ tenant, request, response }, upstream, '/late')
    resolve()
  })
  await expect(fetch(origin, { signal: gone.signal })).rejects.toThrow()
  await promise
  await text((await upstream.request({ path: '/next', method: 'GET' })).body)
  expect(paths).toEqual(['/next'])
})
