import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalAuthority } from '../../../src/daemon/gateway/tls/local-authority.ts'
import { Egress } from '../../../src/egress/egress.ts'
import { OWN_NETWORK } from '../../../src/shared/instances/instance-protocol.ts'
import type { NetworkSettings } from '../../../src/shared/network/network-policy.ts'
import { OPEN, resolver, startUpstream } from '../../egress/helpers.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'

interface ModuleProcess {
  run(code: string): Promise<Record<string, unknown> & { result: unknown }>
  egress: Egress | undefined
  stop(): Promise<void>
}

/** Has an egress listener, with or without a namespace. Names come from the test's resolver. */
async function startModule(settings: NetworkSettings, { isBordered = true } = {}): Promise<ModuleProcess> {
  const child = fork(fixtureProgram('moduleProcess'), [JSON.stringify(settings)], {
    execArgv: ['--no-warnings'],
    env: isBordered ? { [OWN_NETWORK]: '1' } : {},
  })
  let egress: Egress | undefined
  if (isBordered) {
    const [, listener] = await once(child, 'message')
    egress = new Egress(resolver, () => {})
    egress.receive({ type: 'listen', processId: 'a' }, listener)
    egress.receive({ type: 'policy', processId: 'a', settings: { ...OPEN, ...settings } })
  }
  await once(child, 'message')
  return { egress, run: code => run(child, code), stop: () => stop(child, egress) }
}

async function run(child: ChildProcess, code: string) {
  child.send({ code })
  const [answer] = await once(child, 'message')
  return answer
}

async function stop(child: ChildProcess, egress: Egress | undefined): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
  egress?.receive({ type: 'forget', processId: 'a' })
}

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

  test('a module can use a node:net socket like a database client, in all forms of connect', async () => {
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

  test('a module can resolve names with every function of node:dns', async () => {
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

  test('a module can open fifty connections at the same time, each to its own destination', async () => {
    const { result } = await module.run(`
      const urls = Array.from({ length: 50 }, (_, at) => 'http://public.example:${port}/' + at)
      const texts = await Promise.all(urls.map(async url => (await fetch(url, { method: 'POST', body: url })).text()))
      return new Set(texts).size`)
    expect(result).toBe(1)
  })
})

test('the list of hosts also applies to name resolution', async () => {
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

test('a custom lookup cannot bypass the list, and its errors are kept', async () => {
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

test('a connection fails with an error when nothing accepts on the egress listener', async () => {
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

describe('without a network namespace', () => {
  test('a module cannot reach private networks, and the refusal is logged once', async () => {
    const module = await startModule({ allowPrivateNetwork: false }, { isBordered: false })
    for (let i = 0; i < 3; i++)
      expect(await module.run(`await fetch('http://127.0.0.1:6273/')`)).toMatchObject({
        causeCode: 'ERR_NETWORK_REFUSED',
      })
    expect((await module.run('return lines')).result).toEqual([
      expect.stringContaining('The connection to 127.0.0.1:6273 was refused'),
    ])
    await module.stop()
  })

  describe('native handles', () => {
    /** Code that connects to the daemon's port with a native handle and returns the result. */
    const connectNatively = (port: number, before = '') => `
      const net = await load('node:net')
      ${before}
      const socket = new net.Socket()
      socket.on('error', () => {})
      socket.connect({ port: 1, host: '192.0.2.1' })
      const unused = new net.Socket()
      unused.on('error', () => {})
      unused.connect({ path: '/none' })
      const { constructor: Tcp } = Object.getPrototypeOf(net._createServerHandle('127.0.0.1', 0, 4))
      const Request = unused._handle.constructor
      const handle = new Tcp(0)
      const made = []
      const { createHook } = await load('node:async_hooks')
      createHook({ init: (id, type, trigger, resource) => { if (type === 'TCPCONNECTWRAP') made.push(resource) } }).enable()
      const own = net.createServer().listen(0, '127.0.0.1')
      await new Promise(resolve => own.on('listening', resolve))
      const connection = net.connect(own.address().port, '127.0.0.1')
      await new Promise(resolve => connection.on('connect', resolve))
      const request = new made[0].constructor()
      request.oncomplete = () => {}
      return handle.connect(request, '127.0.0.1', ${port})`

    test.each([
      ['as they are', ''],
      [
        'after a server that claims the port',
        `net.createServer(function () {}).on('x', () => {}).address = () => ({ port: PORT })
        const liar = net.createServer(); liar.address = () => ({ port: PORT }); liar.emit('listening'); liar.listen(0)`,
      ],
      [
        'after a server on the same port of another loopback address',
        `const near = net.createServer().listen(PORT, '127.0.0.9')
        await new Promise(resolve => near.on('listening', resolve))`,
      ],
      [
        'with replaced methods of lists and maps',
        `for (const [type, name, value] of [[Array, 'some', () => false], [Map, 'get', () => 1], [Set, 'has', () => true]])
        type.prototype[name] = value`,
      ],
    ])('refuse a port of this machine %s', async (_name, before) => {
      const upstream = await startUpstream()
      let connections = 0
      upstream.on('connection', () => connections++)
      const module = await startModule({ allowPrivateNetwork: false }, { isBordered: false })
      const { result } = await module.run(
        connectNatively(upstream.port, before.replaceAll('PORT', String(upstream.port))),
      )
      expect(result).toBe(-13)
      expect(connections).toBe(0)
      await module.stop()
      upstream.close()
    })

    test('a server of the module is reached by every loopback address that it listens on', async () => {
      const module = await startModule({ allowPrivateNetwork: false, network: 'none' }, { isBordered: false })
      const { result } = await module.run(`
        const { createServer } = await load('node:http')
        const texts = []
        for (const [address, host] of [['127.0.0.1', '127.0.0.1'], [undefined, '127.0.0.1'], [undefined, '[::1]']]) {
          const server = createServer((request, response) => response.end('own')).listen(0, address)
          await new Promise(resolve => server.on('listening', resolve))
          texts.push(await (await fetch('http://' + host + ':' + server.address().port)).text())
          server.close()
        }
        return texts`)
      expect(result).toEqual(['own', 'own', 'own'])
      await module.stop()
    })

    test('native handles offer neither UDP nor a resolver', async () => {
      const module = await startModule({ allowPrivateNetwork: false }, { isBordered: false })
      const { result } = await module.run(`
        const dns = await load('node:dns'), dgram = await load('node:dgram')
        const socket = dgram.createSocket('udp4')
        const state = socket[Object.getOwnPropertySymbols(socket).find(one => one.description === 'state symbol')]
        const tries = [
          () => state.handle.send({}, [], 0, 53, '192.0.2.1', false),
          () => state.handle.bind('0.0.0.0', 0, 0),
          () => new dns.Resolver()._handle.queryTxt({}, 'secret.example'),
        ]
        return tries.map(attempt => { try { return attempt() } catch (error) { return error.code } })`)
      expect(result).toEqual(Array(3).fill('ERR_ACCESS_DENIED'))
      await module.stop()
    })

    test('native handles reach an address on the list only after its name was resolved for the same port', async () => {
      const upstream = await startUpstream()
      const settings = { allowPrivateNetwork: true, network: { allow: [`localhost:${upstream.port}`] } }
      const module = await startModule(settings, { isBordered: false })
      expect((await module.run(connectNatively(upstream.port))).result).toBe(-13)
      const { result } = await module.run(`
        const net = await load('node:net')
        const socket = net.connect({ port: ${upstream.port}, host: 'localhost', family: 4 })
        socket.end('hello')
        return (await socket.toArray()).join('')`)
      expect(result).toBe('HELLO!')
      await module.stop()
      upstream.close()
    })
  })

  test.each([
    [
      'a lookup of the module',
      `net.connect({ port: PORT, host: 'public.example', lookup: (name, options, done) => done(null, '127.0.0.1', 4) })`,
    ],
    [
      'a lookup whose address changes when it is read again',
      `let reads = 0
      const address = { get address() { return reads++ === 0 ? '192.0.2.1' : '127.0.0.1' } }
      socket = net.connect({ port: PORT, host: '192.0.2.1.', lookup: (name, options, done) => done(null, [address]) })`,
    ],
    [
      'replaced methods of lists',
      `Array.prototype.some = function () { return typeof this[0] === 'object' }
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
    [
      'replaced methods of texts',
      `String.prototype.replace = () => '192.0.2.1'
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
    [
      'replaced methods of regular expressions',
      `RegExp.prototype.exec = () => ['192.0.2.1', '192.0.2.1']
      RegExp.prototype.test = () => true
      RegExp.prototype[Symbol.replace] = () => '192.0.2.1'
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
  ])('%s cannot bypass the list', async (_name, attack) => {
    const upstream = await startUpstream()
    let connections = 0
    upstream.on('connection', () => connections++)
    const settings = { allowPrivateNetwork: true, network: { allow: ['public.example', '192.0.2.1'] } }
    const module = await startModule(settings, { isBordered: false })
    const connect = attack.includes('socket = ') ? attack : `socket = ${attack}`
    const answer = await module.run(`
      const net = await load('node:net')
      let socket
      ${connect.replaceAll('PORT', String(upstream.port))}
      return new Promise(resolve => {
        socket.on('connect', () => resolve('connected')).on('error', error => resolve(error.code))
        setTimeout(resolve, 2000, 'timed out')
      })`)
    expect(answer.result).not.toBe('connected')
    expect(connections).toBe(0)
    await module.stop()
    upstream.close()
  })

  test('the resolved name is the name that was checked against the list', async () => {
    const settings = { allowPrivateNetwork: false, network: { allow: ['public.invalid', '192.0.2.1'] } }
    const module = await startModule(settings, { isBordered: false })
    const connect = (host: string) =>
      module.run(`
        const net = await load('node:net')
        const socket = net.connect({ port: 1, host: '${host}' })
        await new Promise((_resolve, reject) => socket.on('error', reject))`)
    for (const host of ['public.invalid#.other.invalid', 'public.invalid?.other.invalid'])
      expect(await connect(host)).toMatchObject({ message: 'getaddrinfo ENOTFOUND public.invalid' })
    expect(await connect('192.0.2.1%.other.invalid')).toMatchObject({ code: 'ERR_NETWORK_REFUSED' })
    const lookup = `await (await load('node:dns')).promises.lookup('public.invalid#.other.invalid')`
    expect(await module.run(lookup)).toMatchObject({ message: 'getaddrinfo ENOTFOUND public.invalid' })
    await module.stop()
  })

  test("allow_private_network leaves Node's functions unchanged", async () => {
    const upstream = await startUpstream()
    const module = await startModule({ allowPrivateNetwork: true }, { isBordered: false })
    const { result } = await module.run(`
      const net = await load('node:net')
      const socket = net.connect(${upstream.port}, '127.0.0.1')
      socket.end('hello')
      return (await socket.toArray()).join('')`)
    expect(result).toBe('HELLO!')
    await module.stop()
    upstream.close()
  })
})
