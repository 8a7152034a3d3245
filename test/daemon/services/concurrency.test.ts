import { expect, test } from 'vitest'
import { Semaphore } from '../../../src/daemon/services/concurrency.ts'

test('a semaphore limits concurrent tasks and runs them in order of arrival, even after a failure', async () => {
  const slots = new Semaphore(2)
  const log: string[] = []
  let running = 0
  let most = 0
  const work = (name: string, fails = false) =>
    slots.run(async () => {
      most = Math.max(most, ++running)
      log.push(name)
      await new Promise(resolve => setImmediate(resolve))
      running--
      if (fails) throw new Error(name)
    })
  const all = await Promise.allSettled([work('a'), work('b', true), work('c'), work('d'), work('e')])
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(most).toBe(2)
  expect(all.map(({ status }) => status).filter(status => status === 'rejected')).toHaveLength(1)
  await expect(slots.run(async () => 'again')).resolves.toBe('again')
})
