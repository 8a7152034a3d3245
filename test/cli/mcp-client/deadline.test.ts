import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadline } from '../../../src/cli/mcp-client/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a deadline aborts when its time is up', () => {
  const { signal } = createDeadline(1000, undefined)
  vi.advanceTimersByTime(999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ code: 'REQUEST_TIMEOUT' })
})

test('a restarted deadline gets its full time again', () => {
  const { signal, restart } = createDeadline(1000, undefined)
  vi.advanceTimersByTime(900)
  restart()
  vi.advanceTimersByTime(900)
  expect(signal.aborted).toBe(false)
})

test('a cleared deadline does not abort', () => {
  const { signal, end } = createDeadline(1000, undefined)
  end()
  vi.advanceTimersByTime(2000)
  expect(signal.aborted).toBe(false)
})

test('a deadline aborts when its caller aborts, with the same reason', () => {
  const caller = new AbortController()
  const { signal, end } = createDeadline(1000, caller.signal)
  caller.abort()
  expect(signal.reason).toBe(caller.signal.reason)
  end()
})

test('a deadline that is longer than any timer does not abort immediately', () => {
  const { signal } = createDeadline(2 ** 40, undefined)
  vi.advanceTimersByTime(1000)
  expect(signal.aborted).toBe(false)
})
