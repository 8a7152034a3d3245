import { expect, test } from 'vitest'
import { warmUp } from '../../../src/instance/host/warm-up.ts'

test('a warm-up runs a server and leaves no open socket', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter(name => /TCP/.test(name))
  const before = sockets()
  await warmUp()
  await expect.poll(sockets).toEqual(before)
})
