import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectGarbage, IdleMemory } from '../../../src/shared/instances/idle-memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('collects garbage once after a quiet period', () => {
  const collect = vi.fn()
  const memory = new IdleMemory({ collect })
  for (let index = 0; index < 5; index++) {
    memory.touched()
    vi.advanceTimersByTime(20_000)
    expect(collect).not.toHaveBeenCalled()
  }
  vi.advanceTimersByTime(20_000)
  expect(collect).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(600_000)
  expect(collect).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

test('collects no garbage after close, even when requests arrive', () => {
  const collect = vi.fn()
  const memory = new IdleMemory({ collect })
  memory.touched()
  memory.close()
  memory.touched()
  vi.advanceTimersByTime(600_000)
  expect(collect).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

test('with whenBusy, collects unused memory of a process that is never quiet', () => {
  vi.spyOn(process, 'memoryUsage').mockReturnValue({
    ...process.memoryUsage(),
    heapTotal: 150e6,
    heapUsed: 30e6,
  })
  const [busy, quick] = [vi.fn(), vi.fn()]
  const memories = [new IdleMemory({ collect: busy, whenBusy: true }), new IdleMemory({ collect: quick })]
  for (let second = 0; second < 700; second += 5) {
    for (const memory of memories) memory.touched()
    vi.advanceTimersByTime(5000)
  }
  expect(busy).toHaveBeenCalledTimes(2)
  expect(quick).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

test('collecting frees unreachable objects and leaves no `gc` function for server code', () => {
  vi.useRealTimers()
  const held = { buffer: new Array(2_000_000).fill(0.5) as number[] | undefined }
  const full = process.memoryUsage().heapUsed
  held.buffer = undefined
  collectGarbage()
  expect(full - process.memoryUsage().heapUsed).toBeGreaterThan(10_000_000)
  expect((globalThis as { gc?: unknown }).gc).toBeUndefined()
})
