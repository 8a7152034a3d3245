import { expect, test } from 'vitest'
import { activityOf, recordMetrics } from '../../src/console/model/live-metrics.ts'
import type { LiveMetrics } from '../../src/shared/contract/monitoring/metrics.ts'

function tick(deploymentId: string, requestsPerSecond: number): LiveMetrics {
  const requests = { total: requestsPerSecond, errors: 0, errorRate: 0, p50Ms: 1, p99Ms: 2 }
  const activity = { instances: 1, memoryBytes: 50_000_000, activeRequests: 0, requestsPerSecond, requests }
  return {
    timestamp: '2026-11-23T08:00:00.000Z',
    windowSeconds: 2,
    deployments: [{ deploymentId, name: 'weather', environment: 'production', ...activity }],
  }
}

test('keeps the last 60 points of a deployment', () => {
  for (let rate = 1; rate <= 70; rate++) recordMetrics(tick('dep_busy', rate))
  const { requestsPerSecond } = activityOf('dep_busy').value!
  expect([requestsPerSecond.length, requestsPerSecond[0], requestsPerSecond.at(-1)]).toEqual([60, 11, 70])
})

test('an idle deployment changes nothing on the page', () => {
  recordMetrics(tick('dep_idle', 0))
  const before = activityOf('dep_idle').value
  recordMetrics(tick('dep_idle', 0))
  expect(activityOf('dep_idle').value).toBe(before)
  recordMetrics(tick('dep_idle', 3))
  expect(activityOf('dep_idle').value!.requestsPerSecond).toEqual([0, 3])
})

test('a deployment that is no longer live has no figures', () => {
  recordMetrics(tick('dep_gone', 1))
  recordMetrics(tick('dep_other', 1))
  expect(activityOf('dep_gone').value).toBeUndefined()
})
