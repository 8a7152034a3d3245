import { expect, test } from 'vitest'
import type { DrainOptions } from '../../../src/daemon/runtime/pool/drain.ts'
import { post, RuntimeHarness, servedBy } from '../../helpers/instance/runtime-harness.ts'

const to =
  (harness: RuntimeHarness, id: string): DrainOptions['forward'] =>
  (socket, named) =>
    harness.supervisor.connect(id, socket, named)

test('connections held during a start are answered by the release that takes over the address', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { behaviour: { hang: true } })
  await harness.add('dep_b')
  const waiting = servedBy(url)
  await harness.accepted(1)
  void harness.supervisor.drain('dep_a', { forward: to(harness, 'dep_b') })
  expect(await waiting).toMatchObject({ tenantId: 'dep_b' })
})

test('connections held for the responder of a sleeping server are answered by the next release', async () => {
  await using harness = new RuntimeHarness()
  await servedBy(await harness.add('neighbour', { placement: 'shared' }))
  const url = await harness.add('dep_a', { answersAsleep: true })
  await harness.add('dep_b')
  const waiting = servedBy(url)
  await harness.accepted(2)
  void harness.supervisor.drain('dep_a', { forward: to(harness, 'dep_b') })
  expect(await waiting).toMatchObject({ tenantId: 'dep_b' })
})

test('a connection held for the responder of a removed server gets 503 immediately', async () => {
  await using harness = new RuntimeHarness()
  await servedBy(await harness.add('neighbour', { placement: 'shared' }))
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

test('a connection that a killed instance did not accept is answered by the next release', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.add('dep_b')
  const { pid } = await servedBy(url)
  process.kill(pid, 'SIGSTOP')
  const untaken = servedBy(url)
  await harness.accepted(2)
  void harness.supervisor.drain('dep_a', { forward: to(harness, 'dep_b') })
  process.kill(pid, 'SIGKILL')
  expect(await untaken).toMatchObject({ tenantId: 'dep_b' })
})

test('the wait for a draining instance is short if it has not responded since the release began', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', { scaling: { min: 2, max: 2 } })
  await harness.supervisor.start('dep_a')
  const [hanging] = harness.pids('dep_a')
  process.kill(hanging!, 'SIGSTOP')
  const begun: Promise<void>[] = []
  await harness.add('dep_b')
  harness.supervisor.prepareSessionTransfer('dep_a')
  await harness.supervisor.transferSessions('dep_a', 'dep_b')
  void harness.supervisor.drain('dep_a', { notice: { changed: [] }, begun })
  expect(begun).toHaveLength(2)
  await Promise.all(begun)
  process.kill(hanging!, 'SIGKILL')
})
