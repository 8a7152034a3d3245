import { expect, test } from 'vitest'
import { warmUp } from '../../../src/instance/host/warm-up.ts'

test('a warm spare has run a warm-up server and keeps nothing of it', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter(name => /TCP/.test(name))
  const before = sockets()
  await warmUp()
  await expect.poll(sockets).toEqual(before)
})
