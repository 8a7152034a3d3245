import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { NamedGateway } from '../../../src/daemon/gateway/named-gateway.ts'
import { connectionLimit } from '../../../src/daemon/gateway/open-files.ts'
import { Certificates } from '../../../src/daemon/gateway/tls/certificates.ts'
import { TlsGateway } from '../../../src/daemon/gateway/tls/tls-gateway.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-waiting-'))
const certificates = new Certificates(directory)

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Options of a gateway with room for two connections without a request. */
function withRoomForTwo() {
  const dropped: string[] = []
  return {
    dropped,
    resolve: (hostname: string) => (hostname === 'a.localhost' ? 'dep_a' : undefined),
    connect: () => expect.unreachable(),
    certificate: (hostname: string) => certificates.find(hostname),
    onDropped: (error: Error) => dropped.push(error.message),
    maxWaiting: 2,
  }
}

async function openPlain(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function openSecure(port: number) {
  const options = { port, host: '127.0.0.1', servername: 'a.localhost', rejectUnauthorized: false }
  const socket = connectSecurely(options).on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

const UNKNOWN = 'GET / HTTP/1.1\r\nHost: x.localhost\r\n\r\n'

test('new connections are dropped while too many have not sent a request', async () => {
  const { dropped, ...options } = withRoomForTwo()
  const gateway = await NamedGateway.open(0, options)
  const [first, second] = [await openPlain(gateway.port), await openPlain(gateway.port)]
  const third = await openPlain(gateway.port)
  await once(third.resume(), 'close')
  expect(dropped).toEqual(['2 connections have not sent a request yet'])
  first.write(UNKNOWN)
  expect(await text(first)).toContain('421')
  const fourth = await openPlain(gateway.port)
  fourth.write(UNKNOWN)
  expect(await text(fourth)).toContain('421')
  second.destroy()
  gateway.close()
})

test('new TLS connections are dropped while too many are in the handshake or have not sent a request', async () => {
  const { dropped, ...options } = withRoomForTwo()
  const gateway = await TlsGateway.open(0, options)
  const inHandshake = await openPlain(gateway.port)
  const silent = await openSecure(gateway.port)
  await once((await openPlain(gateway.port)).resume(), 'close')
  expect(dropped).toEqual(['2 connections have not sent a request yet'])
  silent.write(UNKNOWN)
  expect(await text(silent)).toContain('421')
  const next = await openSecure(gateway.port)
  inHandshake.destroy() // the gateway notices later
  const reopen = () => openSecure(gateway.port).then(socket => socket.destroy().destroyed)
  await expect.poll(() => reopen().catch(() => false)).toBe(true)
  next.destroy()
  gateway.close()
})

test('a listener can use a quarter of the file descriptors', () => {
  const limits =
    'Limit  Soft Limit  Hard Limit  Units\nMax open files            4096                 8192   files\n'
  expect(connectionLimit(limits)).toBe(1024)
  expect(connectionLimit(limits.replace('4096', 'unlimited'))).toBe(Number.POSITIVE_INFINITY)
  expect(connectionLimit('')).toBe(Number.POSITIVE_INFINITY)
})
