import { expect, test } from 'vitest'
import { loadOf, surplusConnections } from '../../../../src/daemon/runtime/pool/balance.ts'

test('a new instance gets its share of the connections that others hold', () => {
  expect(surplusConnections([8, 0])).toEqual([4, 0])
  expect(surplusConnections([9, 9, 0])).toEqual([3, 3, 0])
})

test('balanced instances close no connection', () => {
  expect(surplusConnections([3, 2])).toEqual([0, 0])
  expect(surplusConnections([1])).toEqual([0])
  expect(surplusConnections([])).toEqual([])
})

test('an instance never closes all of its connections', () => {
  for (let total = 0; total < 200; total++) {
    const [surplus] = surplusConnections([total, 0, 0])
    expect(surplus).toBeLessThanOrEqual(total - (total > 0 ? 1 : 0))
  }
})

test('one connection that saturates the event loop weighs more than three idle ones', () => {
  const idle = { connections: 3, activeRequests: 0, utilization: 0 }
  const full = { connections: 1, activeRequests: 1, utilization: 1 }
  expect(loadOf(full)).toBeGreaterThan(loadOf(idle))
})

test('connections handed over since the last report count immediately', () => {
  const before = { connections: 2, activeRequests: 1, utilization: 0.2 }
  expect(loadOf({ ...before, connections: 3 })).toBeGreaterThan(loadOf(before))
})

test('two active requests weigh more than one additional connection', () => {
  const quiet = { connections: 2, activeRequests: 0, utilization: 0 }
  expect(loadOf({ ...quiet, activeRequests: 2 })).toBeGreaterThan(loadOf({ ...quiet, connections: 3 }))
})
