import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { describeServed, post, RuntimeHarness, servedBy } from '../../helpers/instance/runtime-harness.ts'

test('a connection reaches the instance that its address points to', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  expect(await servedBy(url)).toMatchObject({
    tenantId: 'dep_a',
    body: 'hello',
    pid: harness.pids('dep_a')[0],
  })
})

test('bytes that arrived before the hand-off are not lost', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const socket = await open(url)
  socket.write(requestText('early'))
  await harness.until(() => harness.messages('dep_a').includes('woken by a connection'))
  expect(await readAll(socket)).toContain('"body":"early"')
})

test('concurrent connections are distributed over the instances', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { scaling: { min: 2, max: 2 } })
  await harness.supervisor.start('dep_a')
  const places = await Promise.all(Array.from({ length: 200 }, () => servedBy(url)))
  expect(new Set(places.map(({ pid }) => pid))).toEqual(new Set(harness.pids('dep_a')))
})

test('a connection that a killed instance did not accept goes to another instance', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const [stuck] = harness.pids('dep_a')
  process.kill(stuck!, 'SIGSTOP')
  const sockets = await Promise.all(Array.from({ length: 5 }, () => open(url)))
  const answers = sockets.map(socket => {
    socket.write(requestText('late'))
    return readAll(socket)
  })
  // Connections are accepted in order, so all five are being handed over to the stopped process.
  await harness.accepted(5)
  process.kill(stuck!, 'SIGKILL')
  for (const answer of await Promise.all(answers)) expect(answer).toContain('"body":"late"')
  expect(harness.pids('dep_a')).not.toContain(stuck)
})

test('a connection lost during the hand-over is sent again', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { behaviour: { loseFirst: true } })
  await harness.supervisor.start('dep_a')
  const lost = await open(url)
  await harness.accepted(1)
  await servedBy(url) // handles arrive in order, so the first one was lost
  lost.write(requestText('found'))
  expect(await readAll(lost)).toContain('"body":"found"')
})

test('a hanging instance is replaced, and connections that it did not accept go to the new one', async () => {
  await using harness = new RuntimeHarness({ hangTimeoutMs: 300 })
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const [hanging] = harness.pids('dep_a')
  process.kill(hanging!, 'SIGSTOP')
  expect((await servedBy(url)).pid).not.toBe(hanging)
})

test('a client that disconnects before the hand-over affects no other client', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const leaver = await open(url)
  leaver.resetAndDestroy()
  expect(await servedBy(url)).toMatchObject({ tenantId: 'dep_a' })
})

test('after the hand-over, the client immediately sees the end of a connection', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const socket = await open(url)
  socket.write('GET /exit?code=0 HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await readAll(socket)).toBe('')
})

test('a release under keep-alive load fails no request', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const load = startLoad(url, 8)
  for (const id of ['dep_b', 'dep_c', 'dep_d']) {
    const before = load.answers.length
    await harness.until(() => load.answers.length > before + 50)
    const old = load.answers.at(-1)!
    harness.supervisor.add(describeServed(id))
    await harness.supervisor.start(id)
    harness.gateway.point('dep_a', id)
    await harness.supervisor.drain(old)
    expect(harness.supervisor.has(old)).toBe(false)
  }
  await load.stop()
  expect(load.failures).toEqual([])
  expect(new Set(load.answers)).toEqual(new Set(['dep_a', 'dep_b', 'dep_c', 'dep_d']))
})

test('killing an instance under load fails only its active requests', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { scaling: { min: 2, max: 2 } })
  await harness.supervisor.start('dep_a')
  const load = startLoad(url, 8)
  await harness.until(() => load.answers.length > 100)
  process.kill(harness.pids('dep_a')[0]!, 'SIGKILL')
  const before = load.answers.length
  await harness.until(() => load.answers.length > before + 200)
  await load.stop()
  expect(load.failures.length).toBeLessThanOrEqual(8)
  expect(harness.failures).toEqual([])
})

test('an address without a server answers 503 with a JSON-RPC error', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  harness.gateway.point('dep_a', null)
  const { status, headers, text } = await post(url)
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('5')
  expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
})

test('a refused client can read the answer while it is still sending', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  harness.gateway.point('dep_a', null)
  expect((await post(url, 'x'.repeat(3_000_000))).status).toBe(503)
})

/** Starts clients that send requests in sequence over kept-alive connections and record which deployment answers. */
function startLoad(url: string, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const answers: string[] = []
  const failures: unknown[] = []
  let running = true
  const client = async () => {
    while (running) {
      try {
        answers.push((await servedBy(url, agent)).tenantId)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  const clientsDone = Promise.all(Array.from({ length: clients }, client))
  const stop = async () => {
    running = false
    await clientsDone
    agent.destroy()
  }
  return { answers, failures, stop }
}

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

function requestText(body: string): string {
  return `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
