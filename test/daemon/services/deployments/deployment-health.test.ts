import { expect, test } from 'vitest'
import {
  type HealthFacts,
  judgeHealth,
} from '../../../../src/daemon/services/deployments/deployment-health.ts'

const instance = (state: 'starting' | 'ready') => ({
  id: 'inst',
  state,
  pid: 1,
  uptimeSeconds: 1,
  restarts: 0,
  memoryBytes: 1,
  activeRequests: 0,
})

function judge(changes: Partial<HealthFacts> & { ready?: number; starting?: number; errors?: number } = {}) {
  const { ready = 1, starting = 0, errors = 0, ...facts } = changes
  const instances = [
    ...Array.from({ length: ready }, () => instance('ready')),
    ...Array.from({ length: starting }, () => instance('starting')),
  ]
  const recent = { windowSeconds: 300, total: 10, errors, errorRate: errors / 10, p50Ms: 1, p99Ms: 1 }
  return judgeHealth({ status: 'deployed', wanted: 1, probe: undefined, instances, recent, ...facts }).status
}

test('a deployment with all instances ready is healthy', () => expect(judge()).toBe('healthy'))
test('a deployment with fewer instances than wanted is degraded', () =>
  expect(judge({ wanted: 2 })).toBe('degraded'))
test('a deployment without a ready instance is unhealthy', () =>
  expect(judge({ ready: 0, starting: 1 })).toBe('unhealthy'))
test('a deployment without a ready instance is healthy if it may sleep', () =>
  expect(judge({ ready: 0, wanted: 0 })).toBe('healthy'))
test('a deployment with half of its requests failing is degraded', () =>
  expect(judge({ errors: 5 })).toBe('degraded'))
test('a deployment with less than half of its requests failing is healthy', () =>
  expect(judge({ errors: 4 })).toBe('healthy'))
test('an endpoint that does not answer is unhealthy', () =>
  expect(judge({ probe: { name: 'endpoint', status: 'fail', message: 'refused' } })).toBe('unhealthy'))
test('a failed deployment is unhealthy', () =>
  expect(judge({ status: 'failed', ready: 0 })).toBe('unhealthy'))
test('a deployment in state deploying is unhealthy until it serves', () =>
  expect(judge({ status: 'deploying', ready: 0 })).toBe('unhealthy'))
test('a stopped deployment reports that it is stopped', () =>
  expect(judge({ status: 'stopped' })).toBe('stopped'))
