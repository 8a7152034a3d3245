import { expect, test } from 'vitest'
import { warmUp } from '../../src/instance/warm-up.ts'

test('a spare is answered by its own server, and nothing of that stays', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter(name => /TCP/.test(name))
  const before = sockets()
  await warmUp()
  await expect.poll(sockets, { timeout: 25_000 }).toEqual(before)
})
