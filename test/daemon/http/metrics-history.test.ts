import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEvents } from '../../../src/shared/api/event-stream.ts'
import type { LiveMetrics } from '../../../src/shared/contract/monitoring/metrics.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

const DAY_MS = 24 * 3600_000

let aheadMs = 0
let daemon: TestDaemon
let id: string
let url: string
beforeAll(async () => {
  daemon = await startTestDaemon({ clock: () => new Date(Date.now() + aheadMs) })
  const deployed = await deploy(daemon, await buildServer(daemon, echoServer('history')), 'production')
  id = deployed.deployment_id
  url = deployed.url
})
afterAll(() => daemon.close())

const history = async (query = '') =>
  (await daemon.api('GET', `/api/lambda-deploy/${id}/metrics${query}`)).body
const total = async () => (await daemon.api('GET', `/api/lambda-deploy/${id}/health`)).body.requests.total

async function callAndWrite(times: number): Promise<void> {
  const expected = (await total()) + 2 * times
  for (let count = 0; count < times; count++) await callTool(url, 'say', { text: 'hello' })
  await expect.poll(total).toBe(expected)
  await daemon.restart() // writes pending counts
}

test('keeps the number of requests per minute for a week', async () => {
  await callAndWrite(1)
  aheadMs = 3 * DAY_MS
  await callAndWrite(2)
  const both = await history(`?since=${new Date(Date.now() - DAY_MS).toISOString()}&step=86400`)
  expect(both.points.map((point: { total: number }) => point.total).filter(Boolean)).toEqual([2, 4])
  expect(both.tools).toMatchObject([{ tool: 'say', total: 3 }])
  expect(await history()).toMatchObject({ stepSeconds: 60, requests: { total: 4 } })
  aheadMs = 7 * DAY_MS + 3600_000
  await callAndWrite(1)
  const rest = await history(`?since=${new Date(Date.now() - DAY_MS).toISOString()}&step=86400`)
  expect(rest.points.map((point: { total: number }) => point.total).filter(Boolean)).toEqual([4, 2])
  expect(await total()).toBe(8)
})

test('rejects an invalid period', async () => {
  for (const query of ['?step=90', '?since=yesterday', '?since=2100-01-01T00:00:00Z', '?tool=say']) {
    const { status } = await daemon.api('GET', `/api/lambda-deploy/${id}/metrics${query}`)
    expect(status, query).toBe(400)
  }
  expect((await daemon.api('GET', '/api/lambda-deploy/dep_none/metrics')).status).toBe(404)
})

test('returns the metrics of all deployments once or as a stream', async () => {
  await deploy(daemon, await buildServer(daemon, echoServer('quiet')), 'development')
  const { body } = await daemon.api('GET', '/api/metrics')
  expect(body.deployments).toMatchObject([
    { name: 'history', environment: 'production', instances: 1, memoryBytes: expect.any(Number) },
    { name: 'quiet', environment: 'development', requests: { total: 0 } },
  ])
  const events = follow('/api/metrics?interval=1&environment=production')
  expect((await events.next()).value).toMatchObject({
    windowSeconds: 300,
    deployments: [{ name: 'history' }],
  })
  for (let count = 0; count < 3; count++) await callTool(url, 'say', { text: 'hello' })
  let counted = 0
  while (counted < 6) {
    const { deployments } = (await events.next()).value!
    counted += deployments[0]!.requests.total
  }
  expect(counted).toBe(6)
  // Each event counts only the requests since the previous event.
  expect((await events.next()).value!.deployments[0]!.requests.total).toBe(0)
  await events.return(undefined)
})

/** Yields the events of a stream. Closes the connection when the iteration ends. */
async function* follow(path: string): AsyncGenerator<LiveMetrics> {
  const headers = { authorization: `Bearer ${daemon.ownerKey}`, accept: 'text/event-stream' }
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  const request = get(daemon.url + path, { agent: false, headers }, resolve).on('error', reject)
  try {
    yield* readEvents<LiveMetrics>(await promise)
  } finally {
    request.destroy()
  }
}
