import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Autoscaler } from '../../src/daemon/runtime/autoscaler.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one spike is not enough, lasting load is', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load = 60
  scaled.autoscaler.sample()
  expect(scaled.instances).toBe(1)
  scaled.autoscaler.sample()
  expect(scaled.instances).toBe(2)
})

test('when all is quiet the instances are given up one a minute, without any report of theirs', () => {
  const scaled = createScaled({ min: 1, max: 4 })
  scaled.load = 200
  for (let i = 0; i < 5; i++) scaled.autoscaler.sample()
  expect(scaled.instances).toBe(4)
  scaled.load = 0
  scaled.autoscaler.sample()
  vi.advanceTimersByTime(90_000)
  expect(scaled.instances).toBe(3)
  vi.advanceTimersByTime(180_000)
  expect(scaled.instances).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('nothing is scaled while it sleeps', () => {
  const scaled = createScaled({ min: 0, max: 4 })
  scaled.instances = 0
  scaled.load = 100
  scaled.autoscaler.sample()
  expect(scaled.instances).toBe(0)
})

function createScaled(bounds: { min: number; max: number }) {
  const now = { instances: 1, load: 0 }
  const autoscaler = new Autoscaler({
    ...bounds,
    countInstances: () => now.instances,
    countActiveRequests: () => now.load,
    scaleTo: count => {
      now.instances = count
    },
  })
  return Object.assign(now, { autoscaler })
}
