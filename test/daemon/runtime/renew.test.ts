import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import type { Served } from '../../../src/daemon/runtime/served.ts'
import type { Behaviour } from '../../fixtures/instance.ts'
import {
  describeServed,
  RuntimeHarness,
  servedBy,
  waitUntil,
} from '../../helpers/instance/runtime-harness.ts'
import { isRunning } from '../../helpers/processes.ts'

const placements: Served['placement'][] = ['dedicated', 'shared']

/** A server whose next start has the behaviour that was set with `setBehaviour`. */
function changeable(placement: Served['placement']) {
  let behaviour: Behaviour = {}
  const served: Partial<Served> = {
    placement,
    scaling: { min: 2, max: 2 },
    loadArtifact: () => describeServed('dep_a', { behaviour }).loadArtifact(),
  }
  return {
    served,
    setBehaviour(next: Behaviour) {
      behaviour = next
    },
  }
}

test.each(placements)('renewal lets an active request finish in its old instance: %s', async placement => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', changeable(placement).served)
  const agent = new Agent({ keepAlive: true })
  const old = await servedBy(url, agent)
  const slow = servedBy(`${url}/until-drain`, agent)
  await harness.until(() =>
    harness.supervisor.report('dep_a').instances.some(({ activeRequests }) => activeRequests > 0),
  )
  await harness.supervisor.renew('dep_a')
  expect((await slow).instanceId).toBe(old.instanceId)
  expect((await servedBy(url)).instanceId).not.toBe(old.instanceId)
  agent.destroy()
})

test.each(placements)('a failed renewal keeps the old instances: %s', async placement => {
  await using harness = new RuntimeHarness()
  const server = changeable(placement)
  const url = await harness.add('dep_a', server.served)
  await harness.supervisor.start('dep_a')
  const before = harness.supervisor.report('dep_a').instances.map(({ id }) => id)
  server.setBehaviour({ refuse: 'not today' })
  await expect(harness.supervisor.renew('dep_a')).rejects.toThrow('Server "dep_a" did not start: not today.')
  await harness.until(() => harness.supervisor.report('dep_a').instances.length === before.length)
  expect(before).toContain((await servedBy(url)).instanceId)
  expect(harness.failures).toEqual([])
})

test('a renewal whose program exits during start-up fails with its last log lines', async () => {
  await using harness = new RuntimeHarness()
  const server = changeable('dedicated')
  const url = await harness.add('dep_a', server.served)
  await harness.supervisor.start('dep_a')
  const before = harness.pids('dep_a')
  server.setBehaviour({ exitWith: 'cannot find the moon' })
  const failure = await harness.supervisor.renew('dep_a').catch(error => error)
  expect(failure.message).toContain('crashed with exit code 3')
  expect(failure.details).toContain('cannot find the moon')
  expect(before).toContain((await servedBy(url)).pid)
})

test('renewal starts as many instances as before and stops the old processes', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', changeable('dedicated').served)
  await harness.supervisor.start('dep_a')
  const before = harness.pids('dep_a')
  await harness.supervisor.renew('dep_a')
  await waitUntil(() => !before.some(isRunning))
  await harness.until(() => harness.pids('dep_a').length === 2)
  expect(harness.supervisor.report('dep_a').instances.map(({ state }) => state)).toEqual(['ready', 'ready'])
})

test('renewal does not affect other servers in a shared process', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', changeable('shared').served)
  const neighbour = await harness.add('dep_b', { placement: 'shared' })
  const [a, b] = [await servedBy(url), await servedBy(neighbour)]
  await harness.supervisor.renew('dep_a')
  expect(await servedBy(neighbour)).toEqual(b)
  expect((await servedBy(url)).pid).toBe(a.pid)
})

test('renewal wakes a sleeping server', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', changeable('dedicated').served)
  await harness.supervisor.renew('dep_a')
  expect(harness.pids('dep_a')).toHaveLength(2)
})

test.each(placements)('a server removed during renewal leaves no process: %s', async placement => {
  await using harness = new RuntimeHarness()
  const server = changeable(placement)
  await harness.add('dep_a', server.served)
  await harness.supervisor.start('dep_a')
  server.setBehaviour({ hang: true })
  const renewed = harness.supervisor.renew('dep_a').catch(error => error)
  const pids = harness.pids('dep_a')
  await harness.supervisor.remove('dep_a')
  await waitUntil(() => !pids.some(isRunning))
  expect(await renewed).toBeInstanceOf(Error)
})
