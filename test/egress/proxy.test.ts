import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange, OPEN, readAll, startEgress, startUpstream, type TestEgress } from './helpers.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let open: TestEgress

beforeAll(async () => {
  upstream = await startUpstream()
  open = await startEgress(OPEN)
})
afterAll(() => {
  open.close()
  upstream.close()
})

describe('CONNECT', () => {
  test('CONNECT connects the client to the destination and forwards a half-close', async () => {
    const answer = await exchange(
      open.port,
      `CONNECT public.example:${upstream.port} HTTP/1.1\r\n\r\n`,
      'hello',
    )
    expect(answer).toBe('HTTP/1.1 200 Connection Established\r\n\r\nHELLO!')
  })

  test('CONNECT forwards bytes that arrived with the request', async () => {
    const answer = await exchange(open.port, `CONNECT 127.0.0.1:${upstream.port} HTTP/1.1\r\n\r\nearly`)
    expect(answer).toContain('EARLY!')
  })

  test.each([
    ['127.0.0.2:80', '127.0.0.2:80'],
    ['[::1]:80', '[::1]:80'],
    ['[::ffff:127.0.0.2]:80', '127.0.0.2:80'],
    ['[::ffff:7f00:2]:80', '127.0.0.2:80'],
    ['2130706434:80', '127.0.0.2:80'],
    ['10.1.2.3:443', '10.1.2.3:443'],
    ['169.254.169.254:80', '169.254.169.254:80'],
    ['168.63.129.16:80', '168.63.129.16:80'],
    ['private.example:80', 'private.example:80'],
    ['metadata.example:80', 'metadata.example:80'],
    ['mixed.example:80', 'mixed.example:80'],
  ])('CONNECT refuses %s', async (target, shown) => {
    const answer = await exchange(open.port, `CONNECT ${target} HTTP/1.1\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden/)
    expect(answer).toContain(`The connection to ${shown} was refused: it leads to a private network.`)
  })

  test('CONNECT answers 502 for an unknown name and a closed port', async () => {
    expect(await exchange(open.port, 'CONNECT absent.example:80 HTTP/1.1\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 502 [\s\S]*ENOTFOUND absent\.example/,
    )
    const closed = await startUpstream()
    const { port } = closed
    closed.close()
    await once(closed, 'close')
    expect(await exchange(open.port, `CONNECT public.example:${port} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 502 [\s\S]*ECONNREFUSED/,
    )
  })

  test.each(['', '/', 'a', 'a:0', 'a:99999', 'a:b', 'http://a:80/', '[::1:80', 'a b:80', '@a:80'])(
    'CONNECT answers 400 to the target %j',
    async target => {
      expect(await exchange(open.port, `CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      )
    },
  )
})

describe('absolute-form requests', () => {
  test('absolute-form requests reach the host of the URL without headers for the proxy', async () => {
    const seen: string[] = []
    const server = createServer(async (message, response) => {
      const chunks = await message.toArray()
      seen.push(`${message.method} ${message.url} ${message.headers.host}`, message.rawHeaders.join(' '))
      response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end(Buffer.concat(chunks))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sent = request({
      port: open.port,
      method: 'POST',
      path: `http://public.example:${port}/path?q=1`,
      headers: { 'proxy-authorization': 'secret', connection: 'x-hop', 'x-hop': 'gone', 'x-kept': 'there' },
    })
    sent.end('the body')
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(201)
    expect(response.headers).toMatchObject({ 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] })
    expect(Buffer.concat(await response.toArray()).toString()).toBe('the body')
    expect(seen[0]).toBe(`POST /path?q=1 public.example:${port}`)
    expect(seen[1]).toContain('x-kept there')
    expect(seen[1]).not.toMatch(/secret|gone/)
    server.close()
  })

  test.each([
    'GET / HTTP/1.1\r\nHost: 127.0.0.1',
    'GET https://public.example/ HTTP/1.1\r\nHost: a',
    'GET * HTTP/1.1\r\nHost: a',
  ])('a request without an absolute http URL gets 400: %j', async head => {
    expect(await exchange(open.port, `${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('absolute-form requests are refused when the address of their host is not allowed', async () => {
    const answer = await exchange(
      open.port,
      'GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\nHost: a\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('an upgrade keeps header bytes above 127', async () => {
    const answer = await exchange(
      open.port,
      Buffer.from(
        `GET http://public.example:${upstream.port}/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nX: \xb5\r\n\r\n`,
        'latin1',
      ),
    )
    expect(answer).toContain('X: \xef\xbf\xbd\r\n') // the upstream returns what it read as UTF-8
  })

  test('an absolute-form upgrade is connected to the destination', async () => {
    const answer = await exchange(
      open.port,
      `GET http://public.example:${upstream.port}/chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      'frames',
    )
    expect(answer).toContain(`GET /CHAT HTTP/1.1\r\nHOST: PUBLIC.EXAMPLE:${upstream.port}`)
    expect(answer).toContain('FRAMES!')
  })
})

describe('SOCKS 5', () => {
  const greeting = Buffer.of(5, 1, 0)
  const byName = (host: string, port: number) =>
    Buffer.concat([Buffer.of(5, 1, 0, 3, host.length), Buffer.from(host), Buffer.of(port >> 8, port & 255)])
  const OK = '\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00'

  test('SOCKS connects the client to a host by name or address', async () => {
    const { port } = upstream
    expect(await exchange(open.port, greeting, byName('public.example', port), 'hello')).toBe(`${OK}HELLO!`)
    const byAddress = Buffer.of(5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255)
    expect(await exchange(open.port, Buffer.concat([greeting, byAddress, Buffer.from('x')]))).toBe(`${OK}X!`)
  })

  test('SOCKS refuses private addresses of both families with "not allowed by ruleset"', async () => {
    const mapped = Buffer.concat([
      Buffer.of(5, 1, 0, 4),
      Buffer.alloc(10),
      Buffer.of(255, 255, 10, 0, 0, 1, 0, 80),
    ])
    for (const request of [byName('private.example', 80), Buffer.of(5, 1, 0, 1, 10, 0, 0, 1, 0, 80), mapped])
      expect((await exchange(open.port, greeting, request)).slice(2, 4)).toBe('\x05\x02')
  })

  test('SOCKS rejects BIND, UDP and passwords', async () => {
    for (const command of [2, 3])
      expect(
        (await exchange(open.port, greeting, Buffer.of(5, command, 0, 1, 8, 8, 8, 8, 0, 53))).slice(2, 4),
      ).toBe('\x05\x07')
    expect(await exchange(open.port, Buffer.of(5, 1, 2))).toBe('\x05\xff')
  })
})

test('the egress counts connections, bytes, failures and refusals by destination', async () => {
  const egress = await startEgress(OPEN)
  const target = `public.example:${upstream.port}`
  await exchange(egress.port, `CONNECT ${target} HTTP/1.1\r\n\r\n`, 'hello')
  await exchange(egress.port, `CONNECT ${target} HTTP/1.1\r\n\r\n`, 'you')
  await exchange(egress.port, 'CONNECT private.example:1 HTTP/1.1\r\n\r\n')
  await exchange(egress.port, 'CONNECT absent.example:2 HTTP/1.1\r\n\r\n')
  egress.close()
  const sums: Record<string, number[]> = {}
  for (const { host, connections, failures, refusals, bytesSent, bytesReceived } of egress.traffic()) {
    const one = [connections, failures, refusals, bytesSent, bytesReceived]
    sums[host] = one.map((value, index) => value + (sums[host]?.[index] ?? 0))
  }
  expect(sums).toEqual({
    'public.example': [2, 0, 0, 8, 10],
    'private.example': [0, 0, 1, 0, 0],
    'absent.example': [0, 1, 0, 0, 0],
  })
})

test('a connection waits for the policy of its process', async () => {
  const egress = await startEgress()
  const answer = exchange(egress.port, `CONNECT public.example:${upstream.port} HTTP/1.1\r\n\r\n`)
  await new Promise(resolve => setTimeout(resolve, 50))
  egress.border.setPolicy({ ...OPEN, network: 'none' })
  expect(await answer).toMatch(/403 Forbidden[\s\S]*"network": "none"/)
  egress.close()
})

test('an address that an allowed name resolved to is allowed at the port of the name', async () => {
  const egress = await startEgress({ ...OPEN, network: { allow: [`public.example:${upstream.port}`] } })
  const byAddress = `CONNECT 127.0.0.1:${upstream.port} HTTP/1.1\r\n\r\n`
  expect(await exchange(egress.port, byAddress)).toMatch(/^HTTP\/1\.1 403 /)
  await egress.border.lookup('public.example')
  expect(await exchange(egress.port, byAddress, 'hello')).toContain('HELLO!')
  expect(await exchange(egress.port, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /)
  egress.close()
})

test('a process has at most 512 connections, which are closed with its egress', async () => {
  const silent = await startUpstream(() => {})
  const egress = await startEgress(OPEN)
  const sockets = Array.from({ length: 600 }, () => {
    const socket = connect(egress.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`CONNECT public.example:${silent.port} HTTP/1.1\r\n\r\n`)
    return socket
  })
  const answers = await Promise.all(
    sockets.map(
      socket =>
        new Promise(resolve => {
          socket.once('data', data => resolve(String(data)))
          socket.once('close', resolve)
        }),
    ),
  )
  const accepted = answers.filter(answer => String(answer).startsWith('HTTP/1.1 200')).length
  expect(accepted).toBeGreaterThan(400)
  expect(accepted).toBeLessThanOrEqual(512)
  const closed = sockets.map(socket => socket.closed || readAll(socket))
  egress.close()
  await Promise.all(closed)
  silent.close()
})

describe('hostile destinations', () => {
  test.each([
    ['a status below 100', 'HTTP/1.1 099 OK'],
    ['the status 000', 'HTTP/1.1 000 OK'],
    ['a control character after the status', 'HTTP/1.1 200 O\x01K'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3'],
  ])('answers 502 when the destination sends %s', async (_name, head) => {
    const server = await startUpstream(socket => socket.end(`${head}\r\nContent-Length: 2\r\n\r\nhi`))
    const socket = connect(open.port, '127.0.0.1')
    socket.write(`GET http://public.example:${server.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 502 /)
    server.close()
  })
})

describe('hostile clients', () => {
  test('random bytes, alone or after a valid start, close only their own connection', async () => {
    const beginnings = [
      '',
      '{',
      '{"id":1,"type":"connect","host":"public.example","port":1,"from":"127.64.0.1"}\n',
      '\x05\x01\x00',
      '\x05\x01\x00\x05\x01\x00\x03\xff',
      'CONNECT ',
      'GET http://public.example/ HTTP/1.1\r\n',
      'POST http://public.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a\r\n\r\n',
    ]
    let seed = 20_260_101
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed
    }
    const garbage = () => Buffer.from(Array.from({ length: 1 + (next() % 400) }, () => next() % 256))
    for (let round = 0; round < 40; round++)
      await Promise.all(
        beginnings.map(beginning => exchange(open.port, Buffer.from(beginning, 'latin1'), garbage())),
      )
    const answer = await exchange(
      open.port,
      `CONNECT public.example:${upstream.port} HTTP/1.1\r\n\r\n`,
      'alive',
    )
    expect(answer).toContain('ALIVE!')
  })

  test.each([
    ['a head without an end', Buffer.from(`GET http://a/ HTTP/1.1\r\n${'x: y\r\n'.repeat(20_000)}`)],
    ['a control line without an end', Buffer.from(`{"id":1,"host":"${'a'.repeat(100_000)}`)],
    ['invalid control requests', Buffer.from('{"id":1}\n{"id":"2","type":"lookup","host":"a"}\n')],
    ['a list of methods without the supported one', Buffer.from([5, 255, ...Array(255).fill(2)])],
  ])('%s closes the connection', async (_name, bytes) => {
    const socket = connect(open.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(bytes)
    await readAll(socket)
  })
})
