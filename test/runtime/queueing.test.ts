import { expect, test } from 'vitest'
import { Queueing } from '../../src/daemon/runtime/queueing.ts'

test('what is seen for the first time is as it should be', () => {
  expect(new Queueing().waitingShare([call('slow', 10, 500)])).toBe(0)
})

test('what takes four times as long as in a quiet time waits three quarters of it', () => {
  const queueing = new Queueing()
  queueing.waitingShare([call('a', 10, 20)])
  expect(queueing.waitingShare([call('a', 10, 80)])).toBeCloseTo(0.75)
})

test('a slow tool among fast ones waits for nobody', () => {
  const queueing = new Queueing()
  queueing.waitingShare([call('fast', 100, 1), call('slow', 10, 300)])
  expect(queueing.waitingShare([call('fast', 1, 1), call('slow', 100, 300)])).toBeCloseTo(0)
})

test('one request by chance is not what is usual', () => {
  const queueing = new Queueing()
  queueing.waitingShare([call('a', 10, 20)])
  queueing.waitingShare([call('a', 1, 1)])
  expect(queueing.waitingShare([call('a', 10, 20)])).toBe(0)
})

test('without a request nothing waits', () => {
  expect(new Queueing().waitingShare([])).toBe(0)
})

function call(tool: string, requests: number, meanMs: number) {
  return { method: 'tools/call', tool, requests, sumMs: requests * meanMs }
}
