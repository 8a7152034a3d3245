import { expect, test } from 'vitest'
import { Lazy } from '../../src/shared/lazy.ts'

test('concurrent callers share one value, which is created by the first call', async () => {
  let count = 0
  const lazy = new Lazy(async () => ({ number: ++count }))
  expect(await lazy.find()).toBeUndefined()
  expect(count).toBe(0)
  const [first, second] = await Promise.all([lazy.get(), lazy.get()])
  expect(first).toBe(second)
  expect(await lazy.find()).toBe(first)
  expect(count).toBe(1)
})

test('creates the value again after a failure', async () => {
  const outcomes = [Promise.reject(new Error('EMFILE')), Promise.resolve('made')]
  const lazy = new Lazy(() => outcomes.shift()!)
  const failing = lazy.get()
  expect(await lazy.find()).toBeUndefined()
  await expect(failing).rejects.toThrow('EMFILE')
  expect(await lazy.find()).toBeUndefined()
  expect(await lazy.get()).toBe('made')
})
