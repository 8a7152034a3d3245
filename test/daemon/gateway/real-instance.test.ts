import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { NamedGateway } from '../../../src/daemon/gateway/named-gateway.ts'
import { describeWho } from '../../fixtures/servers/who.ts'
import { callInSession, callTool, openSession } from '../../helpers/clients/tool-call.ts'
import { RuntimeHarness } from '../../helpers/instance/runtime-harness.ts'

const instanceProgram = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))

test('a release of a real server under keep-alive load fails no request', async () => {
  await using harness = new RuntimeHarness({ instanceProgram })
  const port = await harness.gateway.open('weather')
  await release(harness, 'dep_1', port)
  const load = startLoad(port, 8)
  for (const [old, next] of [
    ['dep_1', 'dep_2'],
    ['dep_2', 'dep_3'],
  ] as const) {
    await harness.until(() => load.answers.filter(text => text === old).length > 50)
    await release(harness, next, port)
    await harness.supervisor.drain(old)
  }
  await harness.until(() => load.answers.at(-1) === 'dep_3')
  await load.stop()
  expect(load.failures).toEqual([])
  expect(harness.supervisor.report('dep_3').instances).toHaveLength(1)
})

test('a session opened over an old connection during a release belongs to the new version', async () => {
  await using harness = new RuntimeHarness({ instanceProgram })
  const port = await harness.gateway.open('weather')
  await release(harness, 'dep_1', port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await callTool(port, 'who', agent)).toBe('dep_1')
  await release(harness, 'dep_2', port)
  const { ended } = await beginDraining(harness, 'dep_1')
  const { sessionId } = await openSession(port, agent)
  expect(await callInSession(port, 'who', sessionId)).toBe('dep_2')
  agent.destroy()
  await ended
})

test('a session opened over an old connection to a host name during a release belongs to the new version', async () => {
  await using harness = new RuntimeHarness({ instanceProgram })
  const port = await harness.gateway.open('weather')
  await release(harness, 'dep_1', port)
  let live = 'dep_1'
  const named = await NamedGateway.open(0, {
    resolve: () => live,
    connect: harness.supervisor.connect.bind(harness.supervisor),
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { Host: `weather.localhost:${named.port}` }
  expect(await callTool(named.port, 'who', agent, headers)).toBe('dep_1')
  await release(harness, 'dep_2', port)
  live = 'dep_2'
  const { ended } = await beginDraining(harness, 'dep_1')
  const { sessionId } = await openSession(named.port, agent, headers)
  expect(await callInSession(port, 'who', sessionId)).toBe('dep_2')
  agent.destroy()
  named.close()
  await ended
})

test('a server in a shared process sleeps and answers again', async () => {
  await using harness = new RuntimeHarness({ instanceProgram })
  const port = await harness.gateway.open('weather')
  harness.supervisor.add(describeWho('mcp_1', port, { placement: 'shared', idleMs: 20 }))
  harness.gateway.point('weather', 'mcp_1')
  expect(await callTool(port, 'who')).toBe('mcp_1')
  await harness.until(() => harness.supervisor.report('mcp_1').instances.length === 0)
  expect(await callTool(port, 'who')).toBe('mcp_1')
})

/** Drains a deployment. Resolves when its instances have begun to drain. `ended` resolves when they have finished. */
async function beginDraining(harness: RuntimeHarness, id: string): Promise<{ ended: Promise<void> }> {
  const begun: Promise<void>[] = []
  const ended = harness.supervisor.drain(id, { begun })
  await Promise.all(begun)
  return { ended }
}

async function release(harness: RuntimeHarness, id: string, port: number): Promise<void> {
  harness.supervisor.add(describeWho(id, port))
  await harness.supervisor.start(id)
  harness.gateway.point('weather', id)
}

function startLoad(port: number, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const answers: string[] = []
  const failures: unknown[] = []
  let running = true
  const client = async () => {
    while (running)
      await callTool(port, 'who', agent).then(text => answers.push(text), failures.push.bind(failures))
  }
  const done = Promise.all(Array.from({ length: clients }, client))
  const stop = async () => {
    running = false
    await done
    agent.destroy()
  }
  return { answers, failures, stop }
}
