import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { HttpServer, type HttpTimeouts } from '../../../src/instance/http/http-server.ts'

const listeners: Server[] = []

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close()
})

const LARGE = 'x'.repeat(20_000_000)
/** Bytes that a slow client reads between pauses. More than the kernel's buffers, so that the server notices each read. */
const READ_BYTES = 4_000_000

const hello: RequestListener = (request, response) =>
  request.resume().on('end', () => response.end(request.url === '/large' ? LARGE : 'hello'))

/** Starts a server whose connections are handed over within this process. Returns a function that opens a connection. */
async function serve(timeouts: Partial<HttpTimeouts>, onClose = () => {}): Promise<() => Socket> {
  const http = new HttpServer(hello, {
    headersMs: 0,
    requestMs: 0,
    keepAliveMs: 60_000,
    stalledMs: 60_000,
    checkMs: 10,
    ...timeouts,
  })
  const listener = createServer(socket => http.accept(socket, undefined, onClose))
  listeners.push(listener.listen(0, '127.0.0.1'))
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return () => connect(port, '127.0.0.1')
}

describe('a server of handed-over connections', () => {
  test.each([
    ['never sends anything', { headersMs: 30 }, ''],
    ['never ends its head', { headersMs: 30 }, 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['never ends its body', { requestMs: 30 }, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'],
  ])('closes a connection that %s', async (_name, timeouts, bytes) => {
    const socket = (await serve(timeouts))()
    socket.write(bytes)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/)
  })

  test('closes an idle connection after the advertised time', async () => {
    let closed: () => void
    const isClosed = new Promise<void>(resolve => {
      closed = resolve
    })
    const socket = (await serve({ keepAliveMs: 1000 }, () => closed()))()
    const startedAt = performance.now()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await text(socket)).toContain('Keep-Alive: timeout=1\r\n')
    expect(performance.now() - startedAt).toBeGreaterThan(1000)
    await isClosed
  })

  test('disconnects a client that reads nothing, but not one that reads slowly', async () => {
    const closed: number[] = []
    const open = await serve({ stalledMs: 1000 }, () => closed.push(Date.now()))
    const slow = open()
    let taken = 0
    slow.on('data', chunk => {
      const reads = Math.floor(taken / READ_BYTES)
      taken += chunk.length
      if (Math.floor(taken / READ_BYTES) === reads) return
      slow.pause()
      setTimeout(() => slow.resume(), 400)
    })
    for (const socket of [slow, open().pause()]) {
      socket.on('error', () => {})
      socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    }
    await expect.poll(() => closed.length).toBe(1)
    await expect.poll(() => taken).toBeGreaterThan(LARGE.length)
    slow.destroy()
    await expect.poll(() => closed.length).toBe(2)
  })

  test('applies timeouts to connections that arrive after all others have closed', async () => {
    const open = await serve({ headersMs: 30 })
    for (let round = 0; round < 3; round++) expect(await text(open())).toContain('408')
  })
})
