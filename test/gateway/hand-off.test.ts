import { expect, test } from 'vitest'
import { RuntimeHarness, where } from '../helpers/runtime-harness.ts'

test('a connection reaches the instance that its address points to', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  expect(await where(url)).toMatchObject({ tenantId: 'dep_a', body: 'hello', pid: harness.pids('dep_a')[0] })
})
