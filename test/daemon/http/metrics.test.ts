import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { parsePage } from '../../helpers/daemon/prometheus.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

async function scrape() {
  const { status, headers, text } = await daemon.api('GET', '/metrics')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePage(text)
}

/** Number of successful calls to a tool. */
async function calls(server: string, tool: string): Promise<number> {
  const { metrics } = (await scrape()).get('mcp_requests_total')!
  const found = metrics.find(
    ({ labels }) => labels!.server === server && labels!.tool === tool && labels!.outcome === 'ok',
  )
  return Number(found?.value ?? 0)
}

test('exposes requests, instances, builds and the daemon to Prometheus', async () => {
  const { url } = await deploy(daemon, await buildServer(daemon, echoServer('scraped')), 'production')
  await callTool(url, 'say', { text: 'hello' })
  await expect.poll(() => calls('scraped', 'say')).toBe(1)
  const page = await scrape()
  const of = (name: string) => page.get(name)!.metrics.map(({ labels, value }) => ({ ...labels, value }))
  expect(of('mcp_instances')).toEqual([
    { server: 'scraped', environment: 'production', state: 'ready', value: '1' },
  ])
  expect(of('mcp_deployments')).toEqual([{ environment: 'production', status: 'deployed', value: '1' }])
  expect(of('mcp_builds')).toEqual([{ status: 'ready', value: '1' }])
  expect(Number(of('mcp_instance_memory_bytes')[0]!.value)).toBeGreaterThan(1e7)
  expect(Number(of('process_resident_memory_bytes')[0]!.value)).toBeGreaterThan(1e7)
  expect(of('mcp_instance_active_requests')).toMatchObject([{ server: 'scraped', value: '0' }])
  expect(of('mcp_instance_restarts')).toMatchObject([{ server: 'scraped', value: '0' }])
  expect(of('mcp_daemon_info')).toEqual([{ version: expect.any(String), value: '1' }])
  expect(page.get('mcp_container_builds')!.type).toBe('GAUGE')
  expect(page.get('mcp_request_duration_seconds')!.type).toBe('HISTOGRAM')
})

test('counters survive a release that removes the old deployment, and a restart', async () => {
  const mcpId = await buildServer(daemon, echoServer('released'))
  const first = await deploy(daemon, mcpId, 'development')
  await callTool(first.url, 'say', { text: 'hello' })
  await expect.poll(() => calls('released', 'say')).toBe(1)
  const second = await deploy(daemon, mcpId, 'development')
  expect((await daemon.api('GET', `/v1/deploy/${first.deployment_id}/status`)).status).toBe(404)
  await callTool(second.url, 'say', { text: 'hello' })
  await expect.poll(() => calls('released', 'say')).toBe(2)
  await daemon.restart()
  expect(await calls('released', 'say')).toBe(2)
})

test('neither a scrape nor live metrics wake a sleeping server', async () => {
  const { deployment_id } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('asleep')),
    'production',
    {
      scaling: { min_instances: 0 },
    },
  )
  await daemon.restart()
  const { metrics } = (await scrape()).get('mcp_instances')!
  expect(metrics.filter(({ labels }) => labels?.server === 'asleep')).toEqual([])
  expect((await daemon.api('GET', '/api/metrics')).body.deployments).toContainEqual(
    expect.objectContaining({ name: 'asleep', instances: 0 }),
  )
  const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  expect(body.data.instances).toEqual([])
})

test('a scrape requires the scope READ and does not count towards the rate limit', async () => {
  expect((await daemon.api('GET', '/metrics', { key: null })).status).toBe(401)
  const keyOf = async (scopes: string[]) =>
    (await daemon.api('POST', '/api/keys', { body: { name: 'scraper', scopes, plan: 'free' } })).body.key
  expect((await daemon.api('GET', '/metrics', { key: await keyOf(['CHAT']) })).status).toBe(403)
  const key = await keyOf(['READ'])
  for (let count = 0; count < 101; count++)
    expect((await daemon.api('GET', '/metrics', { key })).status).toBe(200)
})
