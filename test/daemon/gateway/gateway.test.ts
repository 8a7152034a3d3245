import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Gateway } from '../../../src/daemon/gateway/gateway.ts'
import { PORT_RANGE } from '../../../src/daemon/gateway/ports.ts'
import { post, type Reply, RuntimeHarness, servedBy } from '../../helpers/instance/runtime-harness.ts'

test('a new address gets a free port outside the range of outgoing connections', async () => {
  await using harness = new RuntimeHarness()
  const ports = await Promise.all(['a', 'b', 'c'].map(id => harness.gateway.open(id)))
  expect(new Set(ports).size).toBe(3)
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(PORT_RANGE.first)
    expect(port).toBeLessThanOrEqual(PORT_RANGE.last)
  }
})

test('opening an open address returns its port', async () => {
  await using harness = new RuntimeHarness()
  const port = await harness.gateway.open('a')
  expect(await harness.gateway.open('a', port)).toBe(port)
  expect(await harness.gateway.open('a')).toBe(port)
})

test('a closed address refuses connections and opens again on the same port', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await servedBy(url)
  await harness.gateway.close('dep_a')
  await expect(post(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(await harness.gateway.open('dep_a', Number(new URL(url).port))).toBe(Number(new URL(url).port))
  harness.gateway.point('dep_a', 'dep_a')
  expect(await servedBy(url)).toMatchObject({ tenantId: 'dep_a' })
})

test('closing an address keeps connections that were handed over', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const answer = post(`${url}/until-drain`)
  await harness.until(() => harness.supervisor.report('dep_a').instances[0]?.activeRequests === 1)
  await harness.gateway.close('dep_a')
  await harness.supervisor.drain('dep_a')
  expect((await answer).status).toBe(200)
})

test('opening a port that another program holds throws CONFLICT and names the port', async () => {
  await using harness = new RuntimeHarness()
  await using other = await listen()
  await expect(harness.gateway.open('a', other.port)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `Port ${other.port} of this server's address is in use by another program. Stop that program. The deployment then starts automatically.`,
  })
})

test('a port held by an exiting process is opened as soon as it is free', async () => {
  await using harness = new RuntimeHarness()
  await using other = await listen()
  const opened = harness.gateway.open('a', other.port)
  await harness.gateway.open('b') // by now, the first call has found the port in use
  await other[Symbol.asyncDispose]()
  expect(await opened).toBe(other.port)
})

test('a daemon that runs out of file descriptors drops connections and recovers', async () => {
  await using small = await startSmallGateway(64)
  const crowd = await Promise.all(Array.from({ length: 150 }, () => tryToConnect(small.port)))
  for (const socket of crowd) socket.destroy()
  let answer: Reply | undefined
  while (!answer) answer = await post(`http://127.0.0.1:${small.port}`).catch(() => undefined)
  expect(answer.status).toBe(503)
})

test('failed accepts are reported at most once a minute', async () => {
  const reported: Error[] = []
  const gateway = new Gateway({
    connect: (_id, socket) => socket.destroy(),
    onAcceptError: error => reported.push(error),
  })
  const servers = await listenersOpenedBy(async () => {
    await gateway.open('a')
    await gateway.open('b')
  })
  const error = Object.assign(new Error('accept ENFILE'), { code: 'ENFILE' })
  for (const server of [...servers, ...servers]) server.emit('error', error)
  expect(reported).toEqual([error])
  await gateway.closeAll()
})

test('the gateway opens no address after closeAll', async () => {
  await using harness = new RuntimeHarness()
  const opening = harness.gateway.open('a')
  await harness.gateway.closeAll()
  await expect(opening).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(harness.gateway.open('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('the error for running out of file descriptors names the limit to raise', async () => {
  await using small = await startSmallGateway(64, 100)
  expect(small.output).toContain("reached the system's limit on open files and connections (EMFILE)")
})

/** Servers that `open` has started (https://nodejs.org/api/diagnostics_channel.html#netserverlistenasyncstart). */
async function listenersOpenedBy(open: () => Promise<void>): Promise<Server[]> {
  const servers: Server[] = []
  const note = (message: unknown) => servers.push((message as { server: Server }).server)
  subscribe('tracing:net.server.listen:asyncStart', note)
  await open()
  unsubscribe('tracing:net.server.listen:asyncStart', note)
  // Leaves out servers whose random port was in use by another program.
  const listening = servers.filter(server => server.listening)
  expect(listening.length).toBeGreaterThan(0)
  return listening
}

/** Starts a gateway in a process with a low limit on open files. */
async function startSmallGateway(files: number, addresses = 1) {
  const program = fileURLToPath(new URL('../../fixtures/small-gateway.ts', import.meta.url))
  const script = `ulimit -n ${files}; exec "$0" "$@"`
  const child = spawn('sh', ['-c', script, process.execPath, program, String(addresses)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [output] = await once(child.stdout, 'data')
  const end = async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  }
  return { output: String(output), port: Number(output), [Symbol.asyncDispose]: end }
}

/** Resolves when the connection has been established, closed or reset. */
async function tryToConnect(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  return socket.on('error', () => {})
}

async function listen() {
  const server: Server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())) }
}
