import { afterAll, beforeAll, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { InstanceHarness } from '../../helpers/instance/instance-harness.ts'

const ID = 'dep_1/asleep'

let harness: InstanceHarness
beforeAll(() => {
  harness = new InstanceHarness()
})
afterAll(() => harness.stop())

/** Serves a sleeping server and calls it without waiting for the answer. */
async function callAsleep(): Promise<void> {
  const { url } = await harness.serve(createArtifact(), { id: ID, asleep: 'elsewhere' })
  void post(url, rpc('tools/call', { name: 'echo' })).catch(() => {})
}

const wakes = () => harness.received.filter(({ type }) => type === 'wake').length

test('a server that was retired during its wake-up can be woken after it sleeps again', async () => {
  await callAsleep()
  await expect.poll(wakes).toBe(1)
  harness.send({ type: 'retire', tenantId: ID })
  await harness.message('retired')
  harness.received.length = 0
  await callAsleep()
  await expect.poll(wakes).toBe(1)
})
