import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../src/daemon/services/clock.ts'
import { RequestMetrics } from '../../../../src/daemon/services/metrics/request-metrics.ts'
import type { Store } from '../../../../src/daemon/store/store.ts'
import type { RequestMinute } from '../../../../src/daemon/store/tables/request-history.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

const health = async (id: string) => (await daemon.api('GET', `/api/lambda-deploy/${id}/health`)).body

async function callTimes(url: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) await callTool(url, 'say', { text: 'hello' })
}

test('health reports requests, errors and latencies by tool and by instance', async () => {
  const { deployment_id, url } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('figures')),
    'production',
  )
  await callTimes(url, 3)
  await callTool(url, 'nothing-of-the-kind')
  // Each round has a handshake and a call.
  await expect.poll(async () => (await health(deployment_id)).requests.total).toBe(8)
  const report = await health(deployment_id)
  expect(report.requests).toMatchObject({ errors: 1, errorRate: 1 / 8 })
  expect(report.requests.p99Ms).toBeGreaterThanOrEqual(report.requests.p50Ms)
  expect(report.recent).toMatchObject({ windowSeconds: 300, total: 8 })
  expect(report.tools).toMatchObject([
    { tool: 'say', total: 3, errors: 0 },
    { tool: '(other)', total: 1, errors: 1 },
  ])
  expect(report.instances[0].requests).toMatchObject({ total: 8, errors: 1 })
})

test('counters survive restarts of the deployment and of the daemon', async () => {
  const { deployment_id, url } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('lasting')),
    'production',
  )
  await callTimes(url, 2)
  await expect.poll(async () => (await health(deployment_id)).requests.total).toBe(4)
  await daemon.restart()
  expect((await health(deployment_id)).requests.total).toBe(4)
  await callTimes(url, 1)
  await expect.poll(async () => (await health(deployment_id)).requests.total).toBe(6)
  await daemon.api('POST', `/v1/deploy/${deployment_id}/restart`)
  expect((await health(deployment_id)).requests.total).toBe(6)
  expect((await health(deployment_id)).tools).toMatchObject([{ tool: 'say', total: 3 }])
})

test('a release keeps the counts of its last minute when its deployment is removed', async () => {
  const mcpId = await buildServer(daemon, echoServer('replaced'))
  const { deployment_id, url } = await deploy(daemon, mcpId, 'development')
  await callTimes(url, 2)
  await expect.poll(async () => (await health(deployment_id)).requests.total).toBe(4)
  await deploy(daemon, mcpId, 'development')
  await deploy(daemon, mcpId, 'development')
  const first = async () => (await daemon.api('GET', '/api/servers/replaced/releases')).body.items.at(-1)
  const expected = { deploymentId: deployment_id, isRemoved: true, requests: 4, errors: 0 }
  await expect.poll(first).toMatchObject(expected)
  await daemon.restart() // writes the counts of the last minute
  expect(await first()).toMatchObject(expected)
})

test('counts the last requests of an instance that drains after its deployment was removed', () => {
  const release = { id: 'dep_1', mcpId: 'mcp_1', environment: 'production' }
  const build = { name: 'weather', tools: [] }
  const written: RequestMinute[] = []
  const store = {
    requestHistory: { add: (minutes: RequestMinute[]) => written.push(...minutes), prune: () => {} },
    deployments: { find: () => undefined },
    releases: { find: (id: string) => (id === 'dep_1' ? release : undefined) },
    builds: { find: (id: string) => (id === 'mcp_1' ? build : undefined) },
  } as unknown as Store
  const clock = createClock(() => new Date())
  const metrics = new RequestMetrics({ store, clock, onError: expect.unreachable })
  metrics.record('dep_1', [
    { method: 'tools/list', tool: '', requests: 2, errors: 1, sumMs: 5, latencies: [] },
  ])
  metrics.flush()
  expect(written).toMatchObject([{ deploymentId: 'dep_1', series: [{ requests: 2, errors: 1 }] }])
})

test('a health check does not wake a sleeping server', async () => {
  const { deployment_id } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('sleepy')),
    'production',
    { scaling: { min_instances: 0 } },
  )
  await daemon.restart()
  expect(await health(deployment_id)).toMatchObject({ instances: [], requests: { total: 0 }, tools: [] })
})
