import { describe, expect, test } from 'vitest'
import { startUpstream } from '../../egress/helpers.ts'
import { startModule } from './module-process.ts'

describe('without a network namespace', () => {
  test('a module cannot reach private networks, and the refusal is logged once', async () => {
    const module = await startModule({ allowPrivateNetwork: false }, { hasNamespace: false })
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
    /** Code that connects to a port of this machine with a native handle and returns the result. */
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
      ['by default', ''],
      [
        'after a server has claimed the port',
        `net.createServer(function () {}).on('x', () => {}).address = () => ({ port: PORT })
        const liar = net.createServer(); liar.address = () => ({ port: PORT }); liar.emit('listening'); liar.listen(0)`,
      ],
      [
        'after a server has opened the same port at another loopback address',
        `const near = net.createServer().listen(PORT, '127.0.0.9')
        await new Promise(resolve => near.on('listening', resolve))`,
      ],
      [
        'with replaced array, map and set methods',
        `for (const [type, name, value] of [[Array, 'some', () => false], [Map, 'get', () => 1], [Set, 'has', () => true]])
        type.prototype[name] = value`,
      ],
    ])('native handles refuse to connect to a port of this machine %s', async (_name, before) => {
      const upstream = await startUpstream()
      let connections = 0
      upstream.on('connection', () => connections++)
      const module = await startModule({ allowPrivateNetwork: false }, { hasNamespace: false })
      const { result } = await module.run(
        connectNatively(upstream.port, before.replaceAll('PORT', String(upstream.port))),
      )
      expect(result).toBe(-13)
      expect(connections).toBe(0)
      await module.stop()
      upstream.close()
    })

    test('a module can reach its own server at every loopback address that the server listens on', async () => {
      const module = await startModule(
        { allowPrivateNetwork: false, network: 'none' },
        { hasNamespace: false },
      )
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
      const module = await startModule({ allowPrivateNetwork: false }, { hasNamespace: false })
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

    test('native handles cannot reach an address on the list before its name is resolved, but net.connect can', async () => {
      const upstream = await startUpstream()
      const settings = { allowPrivateNetwork: true, network: { allow: [`localhost:${upstream.port}`] } }
      const module = await startModule(settings, { hasNamespace: false })
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
      'a lookup function from the module',
      `net.connect({ port: PORT, host: 'public.example', lookup: (name, options, done) => done(null, '127.0.0.1', 4) })`,
    ],
    [
      'a lookup result whose address changes when it is read again',
      `let reads = 0
      const address = { get address() { return reads++ === 0 ? '192.0.2.1' : '127.0.0.1' } }
      socket = net.connect({ port: PORT, host: '192.0.2.1.', lookup: (name, options, done) => done(null, [address]) })`,
    ],
    [
      'replaced array methods',
      `Array.prototype.some = function () { return typeof this[0] === 'object' }
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
    [
      'replaced string methods',
      `String.prototype.replace = () => '192.0.2.1'
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
    [
      'replaced regular expression methods',
      `RegExp.prototype.exec = () => ['192.0.2.1', '192.0.2.1']
      RegExp.prototype.test = () => true
      RegExp.prototype[Symbol.replace] = () => '192.0.2.1'
      socket = net.connect({ port: PORT, host: '127.0.0.1' })`,
    ],
  ])('%s cannot bypass the list of allowed hosts', async (_name, attack) => {
    const upstream = await startUpstream()
    let connections = 0
    upstream.on('connection', () => connections++)
    const settings = { allowPrivateNetwork: true, network: { allow: ['public.example', '192.0.2.1'] } }
    const module = await startModule(settings, { hasNamespace: false })
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
    const module = await startModule(settings, { hasNamespace: false })
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

  test('allow_private_network lets a module connect to a private address', async () => {
    const upstream = await startUpstream()
    const module = await startModule({ allowPrivateNetwork: true }, { hasNamespace: false })
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
