import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeWho } from '../../fixtures/servers/who.ts'
import { callTool } from '../../helpers/clients/tool-call.ts'
import { RuntimeHarness } from '../../helpers/instance/runtime-harness.ts'

const instanceProgram = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))
/** Minimum number of answers over connections that the instance has accepted itself, without the gateway. */
const DIRECT_ANSWERS = 100

test('the instance accepts connections itself in a burst and returns the socket afterwards', async () => {
  await using server = await start()
  const burst = server.burst()
  await burst.isLeased()
  await burst.stop()
  expect(burst.failures).toEqual([])
  const before = server.harness.acceptedByGateway
  while (server.harness.acceptedByGateway === before) {
    expect(await callTool(server.port, 'who')).toBe('dep_1')
    await sleep(30) // at 50 connections per second, the instance would keep the socket
  }
})

test('a release during a burst fails no request, and no later request reaches the old version', async () => {
  await using server = await start()
  const burst = server.burst()
  await burst.isLeased()
  await server.release('dep_2')
  await server.harness.supervisor.drain('dep_1')
  burst.answers.length = 0
  await burst.isLeased()
  await burst.stop()
  expect(burst.failures).toEqual([])
  expect(new Set(burst.answers)).toEqual(new Set(['dep_2']))
})

test('new instances take over during a burst without a failed request', async () => {
  await using server = await start()
  const burst = server.burst()
  await burst.isLeased()
  const old = server.harness.pids('dep_1')
  await server.harness.supervisor.renew('dep_1')
  await burst.isLeased()
  await burst.stop()
  expect(burst.failures).toEqual([])
  await server.harness.until(() => !server.harness.pids('dep_1').includes(old[0]!))
})

test('when an instance that holds the socket dies, only its accepted connections are lost', async () => {
  await using server = await start()
  const burst = server.burst()
  await burst.isLeased()
  process.kill(server.harness.pids('dep_1')[0]!, 'SIGKILL')
  await burst.isLeased()
  await burst.stop()
  expect(burst.failures.length).toBeLessThanOrEqual(burst.clients)
  expect(burst.failures.filter(code => code === 'ECONNREFUSED')).toEqual([])
})

test('an instance that hangs while it holds the socket loses it and is replaced', async () => {
  await using server = await start({ hangTimeoutMs: 300 })
  const burst = server.burst()
  await burst.isLeased()
  const [hanging] = server.harness.pids('dep_1')
  process.kill(hanging!, 'SIGSTOP')
  // All clients of the burst may be waiting for the stopped process, which cannot have accepted this connection.
  expect(await callTool(server.port, 'who')).toBe('dep_1')
  await server.harness.until(() => !server.harness.pids('dep_1').includes(hanging!))
  await burst.isLeased()
  await burst.stop()
  expect(burst.failures.filter(code => code === 'ECONNREFUSED')).toEqual([])
})

test('an address that is closed during a burst accepts no more connections', async () => {
  await using server = await start()
  const burst = server.burst()
  await burst.isLeased()
  await server.harness.gateway.close('who')
  await server.harness.until(() => burst.failures.includes('ECONNREFUSED'))
  await burst.stop()
  await expect(callTool(server.port, 'who')).rejects.toThrow('ECONNREFUSED')
})

async function start(options: { hangTimeoutMs?: number } = {}) {
  const harness = new RuntimeHarness({ instanceProgram, ...options })
  const port = await harness.gateway.open('who')
  const release = async (id: string) => {
    harness.supervisor.add(describeWho(id, port))
    await harness.supervisor.start(id)
    harness.gateway.point('who', id)
  }
  await release('dep_1')
  return {
    harness,
    port,
    release,
    burst: () => startBurst(harness, port),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  }
}

/** Starts clients that open a connection for every request. */
function startBurst(harness: RuntimeHarness, port: number, clients = 16) {
  const answers: string[] = []
  const failures: unknown[] = []
  let running = true
  const client = async () => {
    while (running) {
      await callTool(port, 'who').then(
        text => answers.push(text),
        error => failures.push(error.code ?? error),
      )
    }
  }
  const done = Promise.all(Array.from({ length: clients }, client))
  const stop = async () => {
    running = false
    await done
  }
  /** Resolves when many requests have been answered without the gateway accepting a connection. */
  const isLeased = async () => {
    let accepted = Number.NaN
    let answered = 0
    await harness.until(() => {
      if (accepted !== harness.acceptedByGateway) {
        accepted = harness.acceptedByGateway
        answered = answers.length
      }
      return answers.length - answered > DIRECT_ANSWERS
    })
  }
  return { answers, failures, clients, stop, isLeased }
}
