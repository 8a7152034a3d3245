import { expect, test } from 'vitest'
import type { Leaving } from '../../src/daemon/runtime/instance-set.ts'
import { post, RuntimeHarness, where } from '../helpers/runtime-harness.ts'

const to =
  (harness: RuntimeHarness, id: string): Leaving['onward'] =>
  (socket, named) =>
    harness.supervisor.connect(id, socket, named)

test('connections that wait for a start are answered by the release that takes the address over', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { wishes: { hang: true } })
  await harness.add('dep_b')
  const waiting = where(url)
  await harness.accepted(1)
  void harness.supervisor.drain('dep_a', { onward: to(harness, 'dep_b') })
  expect(await waiting).toMatchObject({ tenantId: 'dep_b' })
})

test('so are those that wait for who answers at the door of one that sleeps', async () => {
  await using harness = new RuntimeHarness()
  await where(await harness.add('neighbour', { placement: 'shared' }))
  const url = await harness.add('dep_a', { answersAsleep: true })
  await harness.add('dep_b')
  const waiting = where(url)
  await harness.accepted(2)
  void harness.supervisor.drain('dep_a', { onward: to(harness, 'dep_b') })
  expect(await waiting).toMatchObject({ tenantId: 'dep_b' })
})

test('who waits at the door of a server that is removed hears it at once', async () => {
  await using harness = new RuntimeHarness()
  await where(await harness.add('neighbour', { placement: 'shared' }))
  const url = await harness.add('dep_a', { answersAsleep: true })
  const waiting = post(url)
  await harness.accepted(2)
  await harness.supervisor.remove('dep_a')
  const { status, text } = await waiting
  expect({ status, message: JSON.parse(text).error.message }).toEqual({
    status: 503,
    message: 'This server was stopped or replaced.',
  })
})

test('a connection that an instance was killed before taking is answered by the release after it', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.add('dep_b')
  const { pid } = await where(url)
  process.kill(pid, 'SIGSTOP')
  const untaken = where(url)
  await harness.accepted(2)
  void harness.supervisor.drain('dep_a', { onward: to(harness, 'dep_b') })
  process.kill(pid, 'SIGKILL')
  expect(await untaken).toMatchObject({ tenantId: 'dep_b' })
})

test('who leaves is waited for, but not for long if it has said nothing since the release began', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', { scaling: { min: 2, max: 2 } })
  await harness.supervisor.start('dep_a')
  const [hanging] = harness.pids('dep_a')
  process.kill(hanging!, 'SIGSTOP')
  const begun: Promise<void>[] = []
  await harness.add('dep_b')
  harness.supervisor.prepareToHandOn('dep_a')
  await harness.supervisor.handSessionsOn('dep_a', 'dep_b')
  void harness.supervisor.drain('dep_a', { order: { changed: [] }, begun })
  expect(begun).toHaveLength(2)
  await Promise.all(begun)
  process.kill(hanging!, 'SIGKILL')
})
