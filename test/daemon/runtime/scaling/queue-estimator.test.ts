import { expect, test } from 'vitest'
import { QueueEstimator } from '../../../../src/daemon/runtime/scaling/queue-estimator.ts'

test('the first duration of a tool is its baseline', () => {
  expect(new QueueEstimator().waitingShare([call('slow', 10, 500)])).toBe(0)
})

test('a request that takes four times the baseline spends three quarters waiting', () => {
  const estimator = new QueueEstimator()
  estimator.waitingShare([call('a', 10, 20)])
  expect(estimator.waitingShare([call('a', 10, 80)])).toBeCloseTo(0.75)
})

test('a slow tool among fast ones does not count as waiting', () => {
  const estimator = new QueueEstimator()
  estimator.waitingShare([call('fast', 100, 1), call('slow', 10, 300)])
  expect(estimator.waitingShare([call('fast', 1, 1), call('slow', 100, 300)])).toBeCloseTo(0)
})

test('a single fast request does not change the baseline', () => {
  const estimator = new QueueEstimator()
  estimator.waitingShare([call('a', 10, 20)])
  estimator.waitingShare([call('a', 1, 1)])
  expect(estimator.waitingShare([call('a', 10, 20)])).toBe(0)
})

test('no requests means no waiting', () => {
  expect(new QueueEstimator().waitingShare([])).toBe(0)
})

function call(tool: string, requests: number, meanMs: number) {
  return { method: 'tools/call', tool, requests, sumMs: requests * meanMs }
}
