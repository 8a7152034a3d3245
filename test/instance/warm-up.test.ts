import { expect, test } from 'vitest'
import { warmUp } from '../../src/instance/warm-up.ts'

test('a spare is answered by its own server, and nothing of that stays', async () => {
  const before = process.getActiveResourcesInfo().filter(name => /TCP/.test(name))
  await warmUp()
  await new Promise(resolve => setImmediate(resolve))
  expect(process.getActiveResourcesInfo().filter(name => /TCP/.test(name))).toEqual(before)
})
