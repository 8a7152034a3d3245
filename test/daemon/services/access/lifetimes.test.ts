import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Lifetimes } from '../../../../src/daemon/services/access/lifetimes.ts'
import { createClock } from '../../../../src/daemon/services/clock.ts'

const HOUR_MS = 3_600_000

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

test('the streams of a key are closed when the key expires', () => {
  const lifetimes = new Lifetimes(createClock())
  const signal = lifetimes.signal('key_1', inHours(1))
  vi.advanceTimersByTime(HOUR_MS - 1)
  expect([signal.aborted, lifetimes.signal('key_1', inHours(1))]).toEqual([false, signal])
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
})

test('the streams of a key are closed within a minute when the clock is set forward past its expiry', () => {
  let ahead = 0
  const lifetimes = new Lifetimes(createClock(() => new Date(Date.now() + ahead)))
  const signal = lifetimes.signal('key_1', inHours(24 * 365))
  vi.advanceTimersByTime(HOUR_MS)
  expect(signal.aborted).toBe(false)
  ahead = 2 * 365 * 24 * HOUR_MS
  vi.advanceTimersByTime(60_000)
  expect(signal.aborted).toBe(true)
})

test('a key that has expired opens no stream', () => {
  expect(new Lifetimes(createClock()).signal('key_1', inHours(-1)).aborted).toBe(true)
})

test('revoking a key leaves the streams of other keys open', () => {
  const lifetimes = new Lifetimes(createClock())
  const [first, second] = [lifetimes.signal('key_1', null), lifetimes.signal('key_2', null)]
  lifetimes.end('key_1')
  lifetimes.end('key_3')
  expect([first.aborted, second.aborted]).toEqual([true, false])
})
