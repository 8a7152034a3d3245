import { expect, test } from 'vitest'
import { Lazy } from '../../src/shared/lazy.ts'

test('all who need it at once get the same, and nothing is made before', async () => {
  let count = 0
  const lazy = new Lazy(async () => ({ number: ++count }))
  expect(await lazy.find()).toBeUndefined()
  expect(count).toBe(0)
  const [first, second] = await Promise.all([lazy.get(), lazy.get()])
  expect(first).toBe(second)
  expect(await lazy.find()).toBe(first)
  expect(count).toBe(1)
})

test('what failed is made anew for the next who needs it', async () => {
  const outcomes = [Promise.reject(new Error('EMFILE')), Promise.resolve('made')]
  const lazy = new Lazy(() => outcomes.shift()!)
  const failing = lazy.get()
  expect(await lazy.find()).toBeUndefined()
  await expect(failing).rejects.toThrow('EMFILE')
  expect(await lazy.find()).toBeUndefined()
  expect(await lazy.get()).toBe('made')
})
