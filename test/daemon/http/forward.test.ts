import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import type { Bindings } from '../../../src/daemon/http/endpoint.ts'
import { forward } from '../../../src/daemon/http/forward.ts'
import { answerError } from '../../../src/daemon/http/middleware/error-envelope.ts'
import { open, post, readEvents, send } from '../../helpers/clients/mcp-requests.ts'

const servers: (Server | TcpServer)[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

async function serve(listener: RequestListener | TcpServer): Promise<string> {
  const server = typeof listener === 'function' ? createServer(listener) : listener
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Starts an API that forwards every request to a server. Returns its URL. */
async function forwardTo(
  listener: RequestListener | TcpServer,
  {
    authorization,
    signal = new AbortController().signal,
  }: { authorization?: string; signal?: AbortSignal } = {},
): Promise<string> {
  const url = await serve(listener)
  const app = new Hono<Bindings>()
  app.onError((error, context) => answerError(context, error, () => {}))
  app.all('*', context => {
    context.header('X-Request-Id', 'req_1')
    const ended = AbortSignal.any([context.req.raw.signal, signal])
    return forward(context, { url, authorization, signal: ended })
  })
  return serve(getRequestListener(app.fetch))
}

test('forwards MCP headers, but no headers from the page or the API', async () => {
  let received: IncomingMessage['headers'] = {}
  const url = await forwardTo(
    (request, response) => {
      received = request.headers
      response.end()
    },
    { authorization: 'Bearer of-the-server' },
  )
  await post(
    url,
    {},
    {
      'mcp-session-id': 's1',
      'mcp-param-city': 'Berlin',
      traceparent: '00-1',
      authorization: 'Bearer of-the-api',
      'x-api-key': 'mcp_sk_secret',
      cookie: 'session=secret',
      origin: 'http://127.0.0.1:6273',
      referer: 'http://127.0.0.1:6273/console/',
      'sec-fetch-site': 'same-origin',
      'proxy-authorization': 'Basic x',
    },
  )
  expect(received).toMatchObject({
    'mcp-session-id': 's1',
    'mcp-param-city': 'Berlin',
    traceparent: '00-1',
    'content-type': 'application/json',
    authorization: 'Bearer of-the-server',
  })
  expect(received.host).toMatch(/^127\.0\.0\.1:\d+$/)
  for (const name of ['x-api-key', 'cookie', 'origin', 'referer', 'sec-fetch-site', 'proxy-authorization'])
    expect(received, name).not.toHaveProperty(name)
})

test('removes headers that would affect the origin of the API, and sandboxes the body', async () => {
  const url = await forwardTo((_request, response) => {
    response.writeHead(401, {
      'content-type': 'text/html',
      'set-cookie': 'session=stolen',
      'clear-site-data': '"*"',
      location: 'https://evil.example',
      refresh: '0; url=https://evil.example',
      'access-control-allow-origin': '*',
      'service-worker-allowed': '/',
      'www-authenticate': 'Basic realm="console"',
      'x-request-id': 'forged',
      'mcp-session-id': 's1',
    })
    response.end('<script>alert(1)</script>')
  })
  const { status, headers, text } = await send(url)
  expect([status, text]).toEqual([401, '<script>alert(1)</script>'])
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'x-request-id': 'req_1',
    'mcp-session-id': 's1',
  })
  for (const name of ['set-cookie', 'clear-site-data', 'location', 'refresh', 'service-worker-allowed'])
    expect(headers, name).not.toHaveProperty(name)
  expect(headers).not.toHaveProperty('access-control-allow-origin')
  expect(headers).not.toHaveProperty('www-authenticate')
})

test('forwards the challenge for a token', async () => {
  const challenge = 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"'
  const url = await forwardTo((_request, response) => {
    response.writeHead(401, { 'www-authenticate': challenge }).end()
  })
  expect((await send(url)).headers['www-authenticate']).toBe(challenge)
})

test('sends the headers of a stream before its first event, and aborts the request when the client disconnects', async () => {
  const closed = Promise.withResolvers<void>()
  const url = await forwardTo((request, response) => {
    request.once('close', closed.resolve)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    setImmediate(() => response.write('id: 1\ndata: {"n":1}\n\n'))
  })
  const events = readEvents(await open(url, { method: 'GET' }))
  expect((await events.next())?.json).toEqual({ n: 1 })
  events.close()
  await closed.promise
})

test('aborts the request when the daemon closes', async () => {
  const closed = Promise.withResolvers<void>()
  const closing = new AbortController()
  const url = await forwardTo(
    (request, response) => {
      request.once('close', closed.resolve)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    },
    { signal: closing.signal },
  )
  const events = readEvents(await open(url, { method: 'GET' }))
  closing.abort()
  await closed.promise
  expect(await events.next()).toBeUndefined()
})

test('a client that disconnects while sending aborts the request', async () => {
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const url = await forwardTo(request => {
    request.once('data', () => received.resolve())
    request.once('error', () => closed.resolve())
  })
  const client = request(url, { method: 'POST', headers: { 'content-length': '1000' } })
  client.on('error', () => {})
  client.write('part')
  await received.promise
  client.destroy()
  await closed.promise
})

test('answers without a body when the server sends none', async () => {
  const url = await forwardTo((_request, response) => response.writeHead(204).end())
  const { status, text } = await send(url, { method: 'DELETE' })
  expect([status, text]).toEqual([204, ''])
})

test('forwards a body of several megabytes in both directions', async () => {
  const url = await forwardTo((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    request.pipe(response)
  })
  const text = JSON.stringify({ text: 'x'.repeat(5_000_000) })
  expect((await post(url, text)).text).toBe(text)
})

test('answers 503 if the server closes the connection', async () => {
  const url = await forwardTo(request => request.socket.destroy())
  const { status, json } = await post(url, {})
  expect([status, json.error.code]).toEqual([503, 'UNAVAILABLE'])
})

test('aborts an answer that the server aborts', async () => {
  const url = await forwardTo((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('part')
    setImmediate(() => response.destroy())
  })
  await expect(send(url)).rejects.toThrow()
})

test('the Content-Length of a dropped body does not affect the next request', async () => {
  const url = await forwardTo((request, response) => void request.pipe(response))
  const body = 'x'.repeat(100)
  expect((await send(url, { method: 'GET', body })).text).toBe('')
  expect((await post(url, { next: 1 })).json).toEqual({ next: 1 })
})

test('answers 503 if the server switches to another protocol', async () => {
  const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'
  const server = createTcpServer(socket => void socket.once('data', () => socket.write(answer)))
  expect((await post(await forwardTo(server), {})).status).toBe(503)
})

test('an answer without a body has no Content-Length', async () => {
  const url = await forwardTo((_request, response) => {
    response.writeHead(205, { 'content-length': '5' }).end()
  })
  const { status, headers } = await send(url)
  expect([status, headers['content-length']]).toEqual([205, undefined])
})

test('forwards no Content-Type with several types, because a browser uses the last one', async () => {
  const url = await forwardTo((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain, text/html' }).end()
  })
  expect((await send(url)).headers['content-type']).toBe('application/octet-stream')
})
