import { expect, test } from 'vitest'
import { burdenOf, surplusConnections } from '../../src/daemon/runtime/balance.ts'

test('a new instance gets its share of the connections that others hold', () => {
  expect(surplusConnections([8, 0])).toEqual([4, 0])
  expect(surplusConnections([9, 9, 0])).toEqual([3, 3, 0])
})

test('nobody lets go of anything where all have about as many', () => {
  expect(surplusConnections([3, 2])).toEqual([0, 0])
  expect(surplusConnections([1])).toEqual([0])
  expect(surplusConnections([])).toEqual([])
})

test('an instance is never asked for more connections than it has, nor left with none', () => {
  for (let total = 0; total < 200; total++) {
    const [surplus] = surplusConnections([total, 0, 0])
    expect(surplus).toBeLessThanOrEqual(total - (total > 0 ? 1 : 0))
  }
})

test('one connection that fills the event loop weighs more than three that are idle', () => {
  const idle = { connections: 3, activeRequests: 0, utilization: 0 }
  const full = { connections: 1, activeRequests: 1, utilization: 1 }
  expect(burdenOf(full)).toBeGreaterThan(burdenOf(idle))
})

test('connections that were handed over since the last report count at once', () => {
  const before = { connections: 2, activeRequests: 1, utilization: 0.2 }
  expect(burdenOf({ ...before, connections: 3 })).toBeGreaterThan(burdenOf(before))
})

test('requests at work weigh like connections', () => {
  const quiet = { connections: 2, activeRequests: 0, utilization: 0 }
  expect(burdenOf({ ...quiet, activeRequests: 2 })).toBeGreaterThan(burdenOf({ ...quiet, connections: 3 }))
})
