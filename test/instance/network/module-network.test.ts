import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalAuthority } from '../../../src/daemon/gateway/tls/local-authority.ts'
import { startUpstream } from '../../egress/helpers.ts'
import { type ModuleProcess, startModule } from './module-process.ts'

describe('a module behind the network border', () => {
  let http: ReturnType<typeof createHttpServer>
  let port: number
  let module: ModuleProcess
  beforeAll(async () => {
    http = createHttpServer((message, response) => response.end(`${message.method} ${message.headers.host}`))
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    port = (http.address() as AddressInfo).port
    module = await startModule({ allowPrivateNetwork: false })
  })
  afterAll(async () => {
    http.close()
    await module.stop()
  })

  test('a module can use fetch, even over a kept-alive connection', async () => {
    const url = `http://public.example:${port}/`
    const { result } = await module.run(
      `const texts = []; for (let i = 0; i < 3; i++) texts.push(await (await fetch('${url}')).text()); return texts`,
    )
    expect(result).toEqual(Array(3).fill(`GET public.example:${port}`))
  })

  test('a module can use node:http by name and by address', async () => {
    const code = (host: string) => `
      const { get } = await load('node:http')
      return new Promise((resolve, reject) =>
        get({ host: '${host}', port: ${port} }, response => response.toArray().then(all => resolve(all.join(''))))
          .on('error', reject))`
    expect((await module.run(code('public.example'))).result).toBe(`GET public.example:${port}`)
    expect((await module.run(code('127.0.0.1'))).result).toBe(`GET 127.0.0.1:${port}`)
  })

  test("a module can use TLS, which verifies the certificate's name", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-authority-'))
    const authority = await LocalAuthority.open(folder)
    const { key, certificate: cert } = await authority.issue('public.example')
    const ca = readFileSync(authority.certificatePath, 'utf8')
    rmSync(folder, { recursive: true })
    const server = createTlsServer({ key, cert }, (_message, response) => response.end('over TLS'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port: tls } = server.address() as AddressInfo
    const get = (host: string) => `
      const { get } = await load('node:https')
      return new Promise((resolve, reject) =>
        get({ host: '${host}', port: ${tls}, ca: ${JSON.stringify(ca)} }, response =>
          response.toArray().then(all => resolve(all.join('')))).on('error', reject))`
    expect((await module.run(get('public.example'))).result).toBe('over TLS')
    expect(await module.run(get('other.example'))).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    server.close()
  })

  test('a module can use a node:net socket like a database client, with various forms of connect', async () => {
    const upstream = await startUpstream()
    const forms = [
      `net.connect(${upstream.port}, 'public.example')`,
      `net.connect({ port: ${upstream.port}, host: 'public.example' })`,
      `net.createConnection({ port: '${upstream.port}', host: 'public.example', noDelay: true })`,
      `new net.Socket().connect(${upstream.port}, 'public.example', () => {})`,
      `new net.Stream().connect({ port: ${upstream.port}, host: 'public.example' })`,
    ]
    for (const form of forms) {
      const code = `
        const net = await load('node:net')
        const socket = ${form}
        const events = []
        for (const name of ['connect', 'ready']) socket.on(name, () => events.push(name))
        socket.write('early ')
        await new Promise(resolve => socket.once('connect', resolve))
        socket.end('late')
        events.push((await socket.toArray()).join(''))
        return events`
      const { result } = await module.run(code)
      expect(result, form).toEqual(['connect', 'ready', 'EARLY LATE!'])
    }
    upstream.close()
  })

  test('a module can destroy a socket while it connects', async () => {
    const { result } = await module.run(`
      const net = await load('node:net')
      const socket = net.connect(${port}, 'public.example')
      socket.destroy()
      await new Promise(resolve => socket.on('close', resolve))
      return [socket.destroyed, socket.connecting]`)
    expect(result).toEqual([true, false])
  })

  test('a module gets the same errors as with a direct connection', async () => {
    const closed = await startUpstream()
    closed.close()
    expect(await module.run(`await fetch('http://public.example:${closed.port}/')`)).toMatchObject({
      message: 'fetch failed',
      causeCode: 'ECONNREFUSED',
    })
    expect(await module.run(`await fetch('http://absent.example/')`)).toMatchObject({
      causeCode: 'ENOTFOUND',
    })
  })

  test.each([
    ['127.0.0.2', 80],
    ['169.254.169.254', 80],
    ['10.0.0.1', 5432],
    ['private.example', 443],
    ['[::1]', 6273],
    ['[::ffff:10.0.0.1]', 80],
    ['0x7f.2', 80],
  ])('a module cannot connect to %s:%i and gets the reason', async (host, to) => {
    const answer = await module.run(`await fetch('http://${host}:${to}/')`)
    expect(answer).toMatchObject({ causeCode: 'ERR_NETWORK_REFUSED' })
    expect(answer.cause).toMatch(/was refused: it leads to a private network/)
  })

  test('a module can reach its own server on loopback', async () => {
    const { result } = await module.run(`
      const { createServer } = await load('node:http')
      const server = createServer((request, response) => response.end('own')).listen(0, '127.0.0.1')
      await new Promise(resolve => server.on('listening', resolve))
      const text = await (await fetch('http://localhost:' + server.address().port)).text()
      server.close()
      return text`)
    expect(result).toBe('own')
  })

  test.each(['127.0.0.2', 'private.example', '[::ffff:127.0.0.2]', '0x7f000002', 'PRIVATE.example.'])(
    'a module cannot follow a redirect to %s',
    async host => {
      const location = `http://${host}:${port}/`
      const redirecting = createHttpServer((_message, response) =>
        response.writeHead(307, { location }).end(),
      )
      redirecting.listen(0, '127.0.0.1')
      await once(redirecting, 'listening')
      const { port: from } = redirecting.address() as AddressInfo
      const answer = await module.run(`return (await fetch('http://public.example:${from}/')).status`)
      expect(answer).toMatchObject({ message: 'fetch failed', causeCode: 'ERR_NETWORK_REFUSED' })
      redirecting.close()
    },
  )

  test('a module can resolve names with the callbacks, promises and resolvers of node:dns', async () => {
    const { result } = await module.run(`
      const dns = await load('node:dns'), promises = await load('node:dns/promises'), { promisify } = await load('node:util')
      const call = (target, name, ...args) => new Promise((resolve, reject) =>
        target[name](...args, (error, ...results) => error ? reject(error) : resolve(results)))
      return [
        await call(dns, 'lookup', 'public.example'),
        await call(dns, 'lookup', 'public.example', { all: true }),
        await promisify(dns.lookup)('public.example'),
        await promises.lookup('public.example', 4),
        await call(dns, 'resolveTxt', 'public.example'),
        await call(new dns.Resolver(), 'resolve4', 'public.example'),
        await new promises.Resolver().resolveMx('public.example'),
        await promises.resolve('public.example', 'SRV'),
        await call(dns, 'lookup', 'localhost', 4),
      ]`)
    const address = { address: '127.0.0.1', family: 4 }
    expect(result).toEqual([
      ['127.0.0.1', 4],
      [[address]],
      address,
      address,
      [[['TXT of public.example']]],
      [[['A of public.example']]],
      [['MX of public.example']],
      [['SRV of public.example']],
      ['127.0.0.1', 4],
    ])
    expect(
      await module.run(`await (await load('node:dns/promises')).lookup('private.example')`),
    ).toMatchObject({
      code: 'ERR_NETWORK_REFUSED',
    })
  })

  test('a module cannot use UDP and gets an error', async () => {
    const answer = await module.run(
      `(await load('node:dgram')).createSocket('udp4').send('secret', 53, '8.8.8.8')`,
    )
    expect(answer).toMatchObject({ code: 'ERR_NETWORK_REFUSED' })
    expect(answer.message).toContain('UDP is not available')
  })

  test('a module can open fifty connections to one destination at the same time', async () => {
    const { result } = await module.run(`
      const urls = Array.from({ length: 50 }, (_, at) => 'http://public.example:${port}/' + at)
      const texts = await Promise.all(urls.map(async url => (await fetch(url, { method: 'POST', body: url })).text()))
      return new Set(texts).size`)
    expect(result).toBe(1)
  })
})

test('the list of allowed hosts also applies to name resolution', async () => {
  const module = await startModule({ allowPrivateNetwork: false, network: { allow: ['public.example'] } })
  expect(await module.run(`await fetch('http://other.example/')`)).toMatchObject({
    cause:
      'The connection to other.example:80 was refused: it is not on the deployment\'s network list. Add "other.example:80" to deploy.network.allow to permit it.',
  })
  const lookUp = (name: string) =>
    module.run(`return (await load('node:dns/promises')).resolveTxt('${name}')`)
  expect(await lookUp('c2VjcmV0.other.example')).toMatchObject({ code: 'ERR_NETWORK_REFUSED' })
  expect((await lookUp('public.example')).result).toEqual([['TXT of public.example']])
  await module.stop()
})

test('a custom lookup cannot bypass the list of allowed hosts, and its errors are kept', async () => {
  const module = await startModule({ allowPrivateNetwork: false, network: { allow: ['public.example'] } })
  const connect = (lookup: string) =>
    module.run(`
      const net = await load('node:net')
      const socket = net.connect({ host: 'public.example', port: 1, lookup: ${lookup} })
      await new Promise((_resolve, reject) => socket.on('error', reject))`)
  expect(await connect(`(name, options, done) => done(null, '93.184.215.14', 4)`)).toMatchObject({
    code: 'ERR_NETWORK_REFUSED',
  })
  expect(
    await connect(`(name, options, done) => done(Object.assign(new Error('mine'), { code: 'EMINE' }))`),
  ).toMatchObject({ code: 'EMINE' })
  await module.stop()
})

test('a connection fails with an error when no process accepts connections on the egress listener', async () => {
  const upstream = await startUpstream()
  const module = await startModule({ allowPrivateNetwork: false })
  const talk = `
    const net = await load('node:net')
    const socket = net.connect(${upstream.port}, 'public.example')
    socket.end('hello')
    return (await socket.toArray()).join('')`
  expect((await module.run(talk)).result).toBe('HELLO!')
  module.egress!.border('a')!.close()
  expect((await module.run(talk)).message).toBeDefined()
  await module.stop()
  upstream.close()
})
