import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Served } from '../../../../src/daemon/runtime/served.ts'
import type { Behaviour } from '../../../fixtures/instance.ts'
import { describeServed, RuntimeHarness, servedBy } from '../../../helpers/instance/runtime-harness.ts'

const shared: Partial<Served> = { placement: 'shared' }

test('many servers share one process, each with its own tenant', async () => {
  await using harness = new RuntimeHarness()
  const ids = Array.from({ length: 50 }, (_, index) => `mcp_${index}`)
  const urls = await Promise.all(ids.map(id => harness.add(id, shared)))
  const places = await Promise.all(urls.map(url => servedBy(url)))
  expect(places.map(({ tenantId }) => tenantId)).toEqual(ids)
  expect(new Set(places.map(({ pid }) => pid)).size).toBe(1)
  expect(readdirSync(join(harness.logsDir, 'hosts'))).toHaveLength(1)
})

test('another process is started for a server when the shared process is full', async () => {
  await using harness = new RuntimeHarness({ tenantsPerHost: 2 })
  const urls = await Promise.all(['mcp_a', 'mcp_b', 'mcp_c'].map(id => harness.add(id, shared)))
  const places = await Promise.all(urls.map(url => servedBy(url)))
  expect(new Set(places.map(({ pid }) => pid)).size).toBe(2)
})

test('when a shared process dies, its awake servers restart and its sleeping ones do not', async () => {
  await using harness = new RuntimeHarness()
  const awake = await Promise.all(['mcp_a', 'mcp_b'].map(id => harness.add(id, shared)))
  await harness.add('mcp_asleep', shared)
  const [before] = await Promise.all(awake.map(url => servedBy(url)))
  process.kill(before!.pid, 'SIGKILL')
  await harness.until(() => ['mcp_a', 'mcp_b'].every(id => !harness.pids(id).includes(before!.pid)))
  const after = await Promise.all(awake.map(url => servedBy(url)))
  expect(after.map(({ tenantId }) => tenantId)).toEqual(['mcp_a', 'mcp_b'])
  expect(harness.supervisor.report('mcp_a').instances).toMatchObject([{ restarts: 1, state: 'ready' }])
  expect(harness.supervisor.report('mcp_asleep').instances).toEqual([])
})

test('a server that crashes its process is isolated and fails alone', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('mcp_good', shared)
  await servedBy(url)
  await harness.add('mcp_poison', { ...shared, behaviour: { exitWith: 'boom' } satisfies Behaviour })
  await expect(harness.supervisor.start('mcp_poison')).rejects.toThrow('failed 5 times')
  expect(await servedBy(url)).toMatchObject({ tenantId: 'mcp_good' })
  expect(harness.failures).toEqual([])
})

test('a shared process outlives a removed server and stops with the last server', async () => {
  await using harness = new RuntimeHarness()
  const [a, b] = await Promise.all(['mcp_a', 'mcp_b'].map(id => harness.add(id, shared)))
  const { pid } = await servedBy(a!)
  await servedBy(b!)
  await harness.supervisor.remove('mcp_a')
  expect(await servedBy(b!)).toMatchObject({ pid })
  await harness.supervisor.remove('mcp_b')
  expect(readdirSync(join(harness.logsDir))).toContain('hosts')
  await harness.add('mcp_c', shared).then(async url => expect((await servedBy(url)).pid).not.toBe(pid))
})

test('a server in a shared process keeps its instance id when it sleeps and wakes', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('mcp_a', { ...shared, idleMs: 20 })
  const first = await servedBy(url)
  await harness.until(() => harness.supervisor.report('mcp_a').instances.length === 0)
  const second = await servedBy(url)
  expect(second.instanceId).toBe(first.instanceId)
  expect(second.pid).not.toBe(first.pid)
})

test('a server removed during start-up does not block the next server with its id', async () => {
  await using harness = new RuntimeHarness()
  const neighbour = await harness.add('mcp_neighbour', shared)
  const { pid } = await servedBy(neighbour)
  const url = await harness.add('mcp_a', { ...shared, behaviour: { hang: true } satisfies Behaviour })
  const started = harness.supervisor.start('mcp_a')
  await Promise.all([servedBy(neighbour), harness.until(() => harness.pids('mcp_a').includes(pid))])
  await Promise.all([expect(started).rejects.toThrow('was stopped'), harness.supervisor.remove('mcp_a')])
  harness.supervisor.add(describeServed('mcp_a', shared))
  expect(await servedBy(url)).toMatchObject({ tenantId: 'mcp_a', pid })
  expect(await servedBy(neighbour)).toMatchObject({ pid })
})
