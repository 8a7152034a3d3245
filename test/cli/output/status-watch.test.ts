import { expect, test } from 'vitest'
import { toRow } from '../../../src/cli/output/status-watch.ts'

const requests = { total: 0, errors: 0, errorRate: 0, p50Ms: 0, p99Ms: 0 }
const deployment = {
  deploymentId: 'dep_1',
  name: 'greeter',
  environment: 'production' as const,
  instances: 0,
  memoryBytes: 0,
  activeRequests: 0,
  requestsPerSecond: 0,
  requests,
}
const instance = {
  id: 'inst_1',
  state: 'starting' as const,
  pid: null,
  uptimeSeconds: 0,
  restarts: 3,
  memoryBytes: 0,
  activeRequests: 0,
}

test('status --watch shows a deployment as asleep only if none of its instances is starting', () => {
  expect(toRow({ ...deployment, running: [] })).toContain('asleep')
  const starting = toRow({ ...deployment, running: [instance] })
  expect(starting).not.toContain('asleep')
  expect(starting.at(-2)).toBe('0')
})
