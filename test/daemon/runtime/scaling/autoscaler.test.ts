import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Autoscaler } from '../../../../src/daemon/runtime/scaling/autoscaler.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a sustained load starts an instance, and a single spike does not', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load.activeRequests = 60
  scaled.report()
  expect(scaled.instances).toBe(1)
  scaled.report()
  expect(scaled.instances).toBe(2)
})

test('many simultaneous load reports count as one', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load.activeRequests = 60
  for (let i = 0; i < 10; i++) scaled.autoscaler.sample()
  expect(scaled.instances).toBe(1)
})

test('a sudden load that lasts starts an instance without another report', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load.activeRequests = 60
  scaled.report()
  vi.advanceTimersByTime(10_000)
  expect(scaled.instances).toBe(2)
})

test('a saturated event loop starts another instance even with few active requests', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load = { activeRequests: 4, busy: 1 }
  for (let i = 0; i < 5; i++) scaled.report()
  expect(scaled.instances).toBe(2)
})

test('requests that take much longer than usual start another instance even if the event loop is idle', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load.activeRequests = 1
  scaled.report({ requests: 10, sumMs: 10 * 50 })
  expect(scaled.instances).toBe(1)
  scaled.load.activeRequests = 20
  for (let i = 0; i < 4; i++) scaled.report({ requests: 20, sumMs: 20 * 1000 })
  expect(scaled.instances).toBe(2)
})

test('when load stops, one instance per minute is stopped, even if no further report arrives', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load.activeRequests = 200
  for (let i = 0; i < 5; i++) scaled.report()
  expect(scaled.instances).toBe(4)
  scaled.load.activeRequests = 0
  scaled.report()
  vi.advanceTimersByTime(90_000)
  expect(scaled.instances).toBe(3)
  vi.advanceTimersByTime(180_000)
  expect(scaled.instances).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a sleeping deployment is not scaled', () => {
  const scaled = createScaled({ min: 0, max: 4 })
  scaled.instances = 0
  scaled.load.activeRequests = 100
  scaled.report()
  expect(scaled.instances).toBe(0)
})

function createScaled(bounds: { min: number; max: number }) {
  const now = { instances: 1, load: { activeRequests: 0, busy: 0 } }
  const autoscaler = new Autoscaler({
    ...bounds,
    countInstances: () => now.instances,
    load: () => now.load,
    scaleTo: count => {
      now.instances = count
    },
  })
  /** Reports the load one second later. */
  const report = (counts?: { requests: number; sumMs: number }) => {
    vi.advanceTimersByTime(1000)
    autoscaler.sample(counts && [{ method: 'tools/call', tool: 'a', errors: 0, latencies: [], ...counts }])
  }
  return Object.assign(now, { autoscaler, report })
}
