import { expect, test } from 'vitest'
import { desiredInstances, isLow, TARGET_ACTIVE_REQUESTS } from '../../src/daemon/runtime/scaling.ts'

const two = { instances: 2, min: 1, max: 5, lowForMs: 0 }

test('more requests than two instances are meant for call for as many as needed', () => {
  expect(desiredInstances({ ...two, activeRequests: 2 * TARGET_ACTIVE_REQUESTS + 1 })).toBe(3)
  expect(desiredInstances({ ...two, activeRequests: 4 * TARGET_ACTIVE_REQUESTS })).toBe(4)
})

test('the number stays between its bounds, and at least one', () => {
  expect(desiredInstances({ ...two, activeRequests: 100 * TARGET_ACTIVE_REQUESTS })).toBe(5)
  expect(desiredInstances({ ...two, instances: 1, min: 0, activeRequests: 0, lowForMs: 1e6 })).toBe(1)
  expect(desiredInstances({ ...two, min: 2, activeRequests: 0, lowForMs: 1e6 })).toBe(2)
})

test('a quiet moment keeps the instances, a quiet minute gives up one', () => {
  expect(desiredInstances({ ...two, activeRequests: 0, lowForMs: 59_000 })).toBe(2)
  expect(desiredInstances({ ...two, activeRequests: 0, lowForMs: 60_000 })).toBe(1)
})

test('one instance fewer is enough only with room to spare', () => {
  expect(isLow(2, 0.6 * TARGET_ACTIVE_REQUESTS)).toBe(true)
  expect(isLow(2, 0.8 * TARGET_ACTIVE_REQUESTS)).toBe(false)
})
