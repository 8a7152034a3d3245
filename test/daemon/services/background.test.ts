import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Background } from '../../../src/daemon/services/background.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function failing(times: number) {
  let left = times
  return vi.fn(() => {
    if (left-- > 0) throw new Error('disk full')
  })
}

test('reports an outcome that cannot be written and retries until it is written', () => {
  const background = new Background(() => {})
  const write = failing(3)
  const afterwards = vi.fn(async () => {})
  expect(() => background.retryUntilWritten(write, afterwards)).toThrow('disk full')
  vi.advanceTimersByTime(2000)
  expect(afterwards).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(write).toHaveBeenCalledTimes(4)
  expect(afterwards).toHaveBeenCalledTimes(1)
})

test('stops retrying when the daemon closes', () => {
  const background = new Background(() => {})
  const write = failing(9)
  expect(() => background.retryUntilWritten(write, async () => {})).toThrow()
  background.closing = true
  vi.advanceTimersByTime(60_000)
  expect(write).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('reports an error from a callback instead of throwing it', () => {
  const reported: unknown[] = []
  const error = new Error('disk I/O error')
  new Background(error => reported.push(error)).attempt(() => {
    throw error
  })
  expect(reported).toEqual([error])
})
