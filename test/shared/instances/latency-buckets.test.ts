import { expect, test } from 'vitest'
import {
  LATENCY_BUCKETS,
  latencyBoundMs,
  latencyBucket,
  latencyQuantileMs,
} from '../../../src/shared/instances/latency-buckets.ts'
import { RequestTally, sumOf } from '../../../src/shared/instances/request-tally.ts'

test('each latency is between the bounds of its bucket', () => {
  for (let us = 0; us < 2 ** 30; us = Math.ceil(us * 1.01) + 1) {
    const bucket = latencyBucket(us / 1000)
    expect(latencyBoundMs(bucket) * 1000, `${us} µs`).toBeLessThanOrEqual(us)
    expect(latencyBoundMs(bucket + 1) * 1000, `${us} µs`).toBeGreaterThan(us)
  }
})

test('counts a negative latency in the first bucket and excessive latencies in the last', () => {
  expect(latencyBucket(1e12)).toBe(LATENCY_BUCKETS - 1)
  expect(latencyBucket(Number.POSITIVE_INFINITY)).toBe(LATENCY_BUCKETS - 1)
  expect(latencyBucket(-1)).toBe(0)
})

test('quantiles are accurate to 3.2 %', () => {
  const tally = new RequestTally()
  const latencies = Array.from({ length: 10_000 }, (_, index) => 0.1 * 1.001 ** index)
  for (const ms of latencies) tally.record(ms, false)
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999]) {
    const truth = latencies[Math.ceil(share * latencies.length) - 1]!
    const found = latencyQuantileMs(tally.latencies, share)
    expect(Math.abs(found / truth - 1), `p${share * 100}`).toBeLessThan(0.032)
  }
  expect(latencyQuantileMs(undefined, 0.5)).toBe(0)
})

test('serialized tallies add up to the tally of all requests', () => {
  const whole = new RequestTally()
  const parts = [new RequestTally(), new RequestTally()]
  for (let index = 0; index < 1000; index++) {
    whole.record(index, index % 10 === 0)
    parts[index % 2]!.record(index, index % 10 === 0)
  }
  const sum = sumOf(parts.map(part => JSON.parse(JSON.stringify(part.counts()))))
  expect(sum.counts()).toEqual(whole.counts())
  expect(sum.summary()).toMatchObject({ total: 1000, errors: 100, errorRate: 0.1 })
})
