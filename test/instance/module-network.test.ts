import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalAuthority } from '../../src/daemon/gateway/tls/local-authority.ts'
import { Egress } from '../../src/egress/egress.ts'
import { OWN_NETWORK } from '../../src/shared/instance-protocol.ts'
import type { NetworkSettings } from '../../src/shared/network/network-policy.ts'
import { OPEN, resolver, startUpstream } from '../egress/helpers.ts'

const PROGRAM = fileURLToPath(new URL('../fixtures/network/module-process.ts', import.meta.url))

interface ModuleProcess {
  run(code: string): Promise<Record<string, unknown> & { result: unknown }>
  egress: Egress | undefined
  stop(): Promise<void>
}

/** With an egress listener, whether or not there is a namespace around it: names come from the test's resolver. */
async function startModule(settings: NetworkSettings, { isBordered = true } = {}): Promise<ModuleProcess> {
  const child = fork(PROGRAM, [JSON.stringify(settings)], {
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

describe('a module behind the border', () => {
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

  test('uses fetch, also over a connection that is kept', async () => {
    const url = `http://public.example:${port}/`
    const { result } = await module.run(
      `const texts = []; for (let i = 0; i < 3; i++) texts.push(await (await fetch('${url}')).text()); return texts`,
    )
    expect(result).toEqual(Array(3).fill(`GET public.example:${port}`))
  })

  test('uses node:http by name and by address', async () => {
    const code = (host: string) => `
      const { get } = await load('node:http')
      return new Promise((resolve, reject) =>
        get({ host: '${host}', port: ${port} }, response => response.toArray().then(all => resolve(all.join(''))))
          .on('error', reject))`
    expect((await module.run(code('public.example'))).result).toBe(`GET public.example:${port}`)
    expect((await module.run(code('127.0.0.1'))).result).toBe(`GET 127.0.0.1:${port}`)
  })

  test('uses TLS, which checks the name of the certificate', async () => {
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

  test('talks over a socket of node:net as a client of a database does, in all forms of connect', async () => {
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

  test('can destroy a socket while it is being connected', async () => {
    const { result } = await module.run(`
      const net = await load('node:net')
      const socket = net.connect(${port}, 'public.example')
      socket.destroy()
      await new Promise(resolve => socket.on('close', resolve))
      return [socket.destroyed, socket.connecting]`)
    expect(result).toEqual([true, false])
  })

  test('gets errors as if it had connected itself', async () => {
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
  ])('is refused %s:%i with the reason', async (host, to) => {
    const answer = await module.run(`await fetch('http://${host}:${to}/')`)
    expect(answer).toMatchObject({ causeCode: 'ERR_NETWORK_REFUSED' })
    expect(answer.cause).toMatch(/was refused: it leads to a private network/)
  })

  test('reaches a server of its own on loopback', async () => {
    const { result } = await module.run(`
      const { createServer } = await load('node:http')
      const server = createServer((request, response) => response.end('own')).listen(0, '127.0.0.1')
      await new Promise(resolve => server.on('listening', resolve))
      const text = await (await fetch('http://localhost:' + server.address().port)).text()
      server.close()
      return text`)
    expect(result).toBe('own')
  })

  test('resolves names by every function of node:dns', async () => {
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

  test('has no UDP, and is told so', async () => {
    const answer = await module.run(
      `(await load('node:dgram')).createSocket('udp4').send('secret', 53, '8.8.8.8')`,
    )
    expect(answer).toMatchObject({ code: 'ERR_NETWORK_REFUSED' })
    expect(answer.message).toContain('UDP is not available')
  })

  test('fifty connections at a time each reach their own destination', async () => {
    const { result } = await module.run(`
      const urls = Array.from({ length: 50 }, (_, at) => 'http://public.example:${port}/' + at)
      const texts = await Promise.all(urls.map(async url => (await fetch(url, { method: 'POST', body: url })).text()))
      return new Set(texts).size`)
    expect(result).toBe(1)
  })
})

test('a list holds for names, also when they are only resolved', async () => {
  const module = await startModule({ allowPrivateNetwork: false, network: { allow: ['public.example'] } })
  expect(await module.run(`await fetch('http://other.example/')`)).toMatchObject({
    cause:
      'The connection to other.example:80 was refused: the deployment\'s network list does not have it. Add "other.example:80" to deploy.network.allow to permit it.',
  })
  const lookUp = (name: string) =>
    module.run(`return (await load('node:dns/promises')).resolveTxt('${name}')`)
  expect(await lookUp('c2VjcmV0.other.example')).toMatchObject({ code: 'ERR_NETWORK_REFUSED' })
  expect((await lookUp('public.example')).result).toEqual([['TXT of public.example']])
  await module.stop()
})

test('a lookup of the caller cannot lead past the list, and its errors are kept', async () => {
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

describe('without a namespace', () => {
  test('a module is refused private networks, and the refusal is logged once', async () => {
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

  test('allow_private_network leaves everything as Node has it', async () => {
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
