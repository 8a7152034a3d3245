import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NamedGateway } from '../../../src/daemon/gateway/named-gateway.ts'
import { PublicListeners } from '../../../src/daemon/gateway/public-listeners.ts'
import { findHost } from '../../../src/daemon/gateway/request-head.ts'
import { Certificates } from '../../../src/daemon/gateway/tls/certificates.ts'
import { LocalAuthority } from '../../../src/daemon/gateway/tls/local-authority.ts'
import { TlsGateway } from '../../../src/daemon/gateway/tls/tls-gateway.ts'
import { RuntimeHarness } from '../../helpers/instance/runtime-harness.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-named-'))
const certificates = new Certificates(directory)
const names: Record<string, string> = {
  'a.localhost': 'dep_a',
  'mcp.example.com': 'dep_b',
  'gone.localhost': 'dep_gone',
}
let harness: RuntimeHarness
let plain: NamedGateway
let secure: TlsGateway

beforeAll(async () => {
  await certificates.find('a.localhost') // creates the authority
  harness = new RuntimeHarness()
  await harness.add('dep_a')
  await harness.add('dep_b')
  const options = {
    resolve: (hostname: string) => names[hostname],
    connect: harness.supervisor.connect.bind(harness.supervisor),
    certificate: (hostname: string) => certificates.find(hostname),
  }
  plain = await NamedGateway.open(0, options)
  secure = await TlsGateway.open(0, options)
})

afterAll(async () => {
  plain.close()
  secure.close()
  await harness[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

describe('by Host', () => {
  test('a connection reaches the server that its first request names', async () => {
    for (const [host, id] of [
      ['a.localhost:6280', 'dep_a'],
      ['MCP.Example.com', 'dep_b'],
    ])
      expect(await exchange([post(host!, 'hello')])).toContain(`"tenantId":"${id}"`)
  })

  test('a request that arrives in pieces is not lost', async () => {
    const whole = post('a.localhost', 'x'.repeat(300_000))
    const answer = await exchange([
      whole.slice(0, 10),
      whole.slice(10, 40),
      whole.slice(40, 5000),
      whole.slice(5000),
    ])
    expect(answer).toContain('"tenantId":"dep_a"')
    expect(answer).toContain('x'.repeat(300_000))
  })

  test('an unknown name is answered with 421 and a JSON-RPC error', async () => {
    const answer = await exchange([post('unknown.localhost', 'hello')])
    expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { message: expect.stringContaining('unknown.localhost') },
    })
  })

  test('the name of a stopped server is answered with 503', async () => {
    expect(await exchange([post('gone.localhost', 'hello')])).toMatch(/^HTTP\/1\.1 503 /)
  })

  test('a request head that is malformed, too large or without exactly one host is refused', async () => {
    const answers = await Promise.all([
      exchange(['GET / HTTP/1.1\r\n\r\n']),
      exchange(['GET / HTTP/1.1\r\nHost: a.localhost\r\nHost: mcp.example.com\r\n\r\n']),
      exchange(['GET http://a.localhost/ HTTP/1.1\r\nHost: a.localhost\r\n\r\n']),
      exchange(['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']),
    ])
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(await exchange([`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`])).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('a client that disconnects before its request affects no other client', async () => {
    const socket = connect(plain.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('POST / HT')
    socket.resetAndDestroy()
    expect(await exchange([post('a.localhost', 'hello')])).toContain('"tenantId":"dep_a"')
  })

  test('the Host header is parsed as the standard requires', () => {
    const host = (value: string) => findHost(`GET / HTTP/1.1\r\n${value}`)
    expect(host('host:a.localhost:1')).toBe('a.localhost:1')
    expect(host('Host: \tA.localhost \t')).toBe('a.localhost')
    for (const bad of ['Host:', 'Host: a b', 'Host: a/b', 'Host : a', 'Host: a:b'])
      expect(host(bad)).toBeUndefined()
  })
})

describe('over TLS', () => {
  test('a client that trusts the local authority connects over TLS', async () => {
    expect(await secureGet('a.localhost')).toContain('"tenantId":"dep_a"')
    expect(await secureGet('mcp.example.com')).toContain('"tenantId":"dep_b"')
    expect(statSync(join(directory, 'authority.key')).mode & 0o777).toBe(0o600)
  })

  test('a TLS connection serves a body that arrives after the head, and a second request', async () => {
    const ca = readFileSync(join(directory, 'authority.pem'))
    const socket = connectSecurely({ port: secure.port, host: '127.0.0.1', servername: 'a.localhost', ca })
    const answer = text(socket)
    socket.write('POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 5\r\n\r\n')
    await new Promise(resolve => setTimeout(resolve, 50))
    socket.write('first')
    await once(socket, 'readable')
    socket.write(post('a.localhost', 'second'))
    const received = await answer
    for (const body of ['first', 'second']) expect(received).toContain(`"body":"${body}"`)
  })

  test('the TLS handshake fails for an unknown name', async () => {
    await expect(secureGet('unknown.localhost')).rejects.toThrow()
  })

  test('a request for a different name than the TLS name is answered with 421', async () => {
    expect(await secureGet('a.localhost', 'mcp.example.com')).toMatch(/^421 /)
  })

  test('names with capital letters are the same names', async () => {
    expect(await secureGet('A.LocalHost')).toContain('"tenantId":"dep_a"')
  })

  test('certificate files replace the local authority and are reloaded immediately', async () => {
    const other = await LocalAuthority.open(join(directory, 'other'))
    const { key, certificate } = await other.issue('mcp.example.com')
    writeFileSync(join(directory, 'mcp.example.com.key'), key)
    writeFileSync(join(directory, 'mcp.example.com.pem'), certificate)
    const ca = readFileSync(other.certificatePath)
    expect(await secureGet('mcp.example.com', 'mcp.example.com', ca)).toContain('"tenantId":"dep_b"')
    await expect(secureGet('mcp.example.com')).rejects.toThrow(/certificate/)
  })

  test('a connection without TLS is closed, and the next client is served', async () => {
    const socket = connect(secure.port, '127.0.0.1')
    socket.end('GET / HTTP/1.1\r\n\r\n')
    socket.on('error', () => {}) // a reset is as good as a close
    await once(socket, 'close')
    expect(await secureGet('a.localhost')).toContain('"tenantId":"dep_a"')
  })
})

function post(host: string, body: string): string {
  return `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Sends each piece in a separate packet. Returns the answer. */
async function exchange(pieces: string[]): Promise<string> {
  const socket = connect({ port: plain.port, host: '127.0.0.1', noDelay: true })
  const answer = text(socket)
  for (const piece of pieces) {
    await new Promise<void>(sent => socket.write(piece, () => sent()))
    await new Promise(resolve => setImmediate(resolve))
  }
  return answer
}

function secureGet(servername: string, host = servername, ca?: Buffer): Promise<string> {
  const agent = new Agent({ keepAlive: false })
  const trusted = ca ?? readFileSync(join(directory, 'authority.pem'))
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: secure.port,
      servername,
      agent,
      ca: trusted,
      headers: { Host: host },
    }
    const sent = request(options, response => {
      text(response).then(body => resolve(`${response.statusCode} ${body}`), reject)
    })
    sent.once('error', reject).end()
  })
}

test('a connection is dropped without crashing the daemon if the database cannot be read', async () => {
  const errors: Error[] = []
  const options = {
    resolve: (): string => {
      throw new Error('disk I/O error')
    },
    connect: () => expect.unreachable(),
    certificate: (hostname: string) => certificates.find(hostname),
    onDropped: (error: Error) => errors.push(error),
  }
  const byHost = await NamedGateway.open(0, options)
  const overTls = await TlsGateway.open(0, options)
  try {
    const socket = connect(byHost.port, '127.0.0.1')
    socket.write(post('a.localhost', 'hello'))
    await once(socket, 'close')
    const hello = connectSecurely({ port: overTls.port, host: '127.0.0.1', servername: 'a.localhost' })
    await expect(once(hello, 'secureConnect')).rejects.toThrow()
    expect(errors.map(({ message }) => message)).toEqual(['disk I/O error', 'disk I/O error'])
  } finally {
    byHost.close()
    overTls.close()
  }
})

test('dropped connections are reported at most once a minute', async () => {
  const errors: Error[] = []
  const publicListeners = new PublicListeners()
  await publicListeners.open({
    ports: { http: 0, https: 0 },
    tlsDir: directory,
    resolve: () => {
      throw new Error('disk I/O error')
    },
    connect: () => expect.unreachable(),
    onTaken: (_port, error) => expect.unreachable(error.message),
    onCertificate: problem => expect.unreachable(problem),
    onDropped: error => errors.push(error),
  })
  try {
    const { port } = new URL(publicListeners.urls('a.localhost').url)
    for (let count = 0; count < 3; count++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(post('a.localhost', 'hello'))
      await once(socket, 'close')
    }
    expect(errors.map(({ message }) => message)).toEqual(['disk I/O error'])
  } finally {
    publicListeners.close()
  }
})
