import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { IdleMemory } from '../../src/instance/idle-memory.ts'

const scope = globalThis as { gc?: unknown }
const collect = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  collect.mockClear()
  scope.gc = collect
})
afterEach(() => {
  vi.useRealTimers()
  scope.gc = undefined
})

test('memory is given back once, when nothing has happened for a while', () => {
  const memory = new IdleMemory()
  for (let index = 0; index < 5; index++) {
    memory.touched()
    vi.advanceTimersByTime(2000)
    expect(collect).not.toHaveBeenCalled()
  }
  vi.advanceTimersByTime(2000)
  expect(collect).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

test('the code of a server does not see the collector', () => {
  new IdleMemory()
  expect(scope.gc).toBeUndefined()
})

test('a process without the collector does nothing', () => {
  scope.gc = undefined
  new IdleMemory().touched()
  expect(vi.getTimerCount()).toBe(0)
})
