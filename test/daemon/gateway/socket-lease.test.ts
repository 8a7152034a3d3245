import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeWho } from '../../fixtures/servers/who.ts'
import { RuntimeHarness } from '../../helpers/runtime-harness.ts'
import { callTool } from '../../helpers/tool-call.ts'

const instanceProgram = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))
/** Answers over connections that the gateway did not accept, so the instance did. */
const SURPLUS = 300

test('the instance accepts connections itself in a rush and returns the socket afterwards', async () => {
  await using server = await start()
  const rush = server.rush()
  await rush.isLeased()
  await rush.stop()
  expect(rush.failures).toEqual([])
  const before = server.harness.acceptedHere
  while (server.harness.acceptedHere === before) {
    expect(await callTool(server.port, 'who')).toBe('dep_1')
    await sleep(30) // faster would be a rush
  }
})

test('a release during a rush fails no request, and no later request reaches the old version', async () => {
  await using server = await start()
  const rush = server.rush()
  await rush.isLeased()
  await server.release('dep_2')
  await server.harness.supervisor.drain('dep_1')
  rush.answers.length = 0
  await rush.isLeased()
  await rush.stop()
  expect(rush.failures).toEqual([])
  expect(new Set(rush.answers)).toEqual(new Set(['dep_2']))
})

test('new instances take over during a rush without a failed request', async () => {
  await using server = await start()
  const rush = server.rush()
  await rush.isLeased()
  const old = server.harness.pids('dep_1')
  await server.harness.supervisor.renew('dep_1')
  await rush.isLeased()
  await rush.stop()
  expect(rush.failures).toEqual([])
  await server.harness.until(() => !server.harness.pids('dep_1').includes(old[0]!))
})

test('when an instance that accepts itself dies, only its accepted connections are lost', async () => {
  await using server = await start()
  const rush = server.rush()
  await rush.isLeased()
  process.kill(server.harness.pids('dep_1')[0]!, 'SIGKILL')
  await rush.isLeased()
  await rush.stop()
  expect(rush.failures.length).toBeLessThanOrEqual(rush.clients)
  expect(rush.failures.filter(code => code === 'ECONNREFUSED')).toEqual([])
})

test('an instance that hangs while it accepts itself loses the socket and is replaced', async () => {
  await using server = await start({ hangTimeoutMs: 300 })
  const rush = server.rush()
  await rush.isLeased()
  const [hanging] = server.harness.pids('dep_1')
  process.kill(hanging!, 'SIGSTOP')
  // All clients of the rush may wait for the stopped process. It cannot have accepted this connection.
  expect(await callTool(server.port, 'who')).toBe('dep_1')
  await server.harness.until(() => !server.harness.pids('dep_1').includes(hanging!))
  await rush.isLeased()
  await rush.stop()
  expect(rush.failures.filter(code => code === 'ECONNREFUSED')).toEqual([])
})

test('an address that is closed during a rush accepts no more connections', async () => {
  await using server = await start()
  const rush = server.rush()
  await rush.isLeased()
  await server.harness.gateway.close('who')
  await server.harness.until(() => rush.failures.includes('ECONNREFUSED'))
  await rush.stop()
  await expect(callTool(server.port, 'who')).rejects.toThrow('ECONNREFUSED')
})

async function start(options: { hangTimeoutMs?: number } = {}) {
  const harness = new RuntimeHarness({ instanceProgram, warmSpares: 1, ...options })
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
    rush: () => startRush(harness, port),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  }
}

/** Clients that open a connection for every request. */
function startRush(harness: RuntimeHarness, port: number, clients = 16) {
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
  /** Resolves when many requests were answered without the gateway accepting a connection. */
  const isLeased = async () => {
    let accepted = Number.NaN
    let answered = 0
    await harness.until(() => {
      if (accepted !== harness.acceptedHere) {
        accepted = harness.acceptedHere
        answered = answers.length
      }
      return answers.length - answered > SURPLUS
    })
  }
  return { answers, failures, clients, stop, isLeased }
}
