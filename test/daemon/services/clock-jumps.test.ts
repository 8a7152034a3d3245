import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tarGz } from '../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'
import { buildServer, createKey, deploy, echoServer } from '../http/fixtures.ts'

const DAY_MS = 24 * 3600 * 1000
let daemon: TestDaemon
let aheadMs = 0
const clock = () => new Date(Date.now() + aheadMs)

beforeEach(async () => {
  aheadMs = 0
  daemon = await startTestDaemon({ clock })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await daemon.close()
})

const idsOf = async (path: string, id: string) => {
  const ids: string[] = []
  let next = ''
  do {
    const { body } = await daemon.api('GET', `${path}?limit=1${next}`)
    const page = body.data ?? body
    ids.push(...page.items.map((item: Record<string, string>) => item[id]))
    const token = page.next_cursor ?? page.nextToken
    next = token && `&${page.nextToken ? 'nextToken' : 'cursor'}=${token}`
  } while (next)
  return ids
}

test('lists keep the order of creation while the clock jumps, even after restarts', async () => {
  const builds: string[] = []
  const projects: string[] = []
  for (const days of [0, 30, -400, 2, -1]) {
    aheadMs = days * DAY_MS
    await daemon.restart()
    for (const name of ['one', 'two']) {
      builds.unshift(await buildServer(daemon, echoServer(`${name}-${builds.length}`)))
      projects.unshift(
        (await daemon.api('POST', '/api/projects', { body: { name: uniqueName(name) } })).body.id,
      )
    }
  }
  expect(await idsOf('/v1/build', 'mcp_id')).toEqual(builds)
  expect(await idsOf('/api/projects', 'id')).toEqual(projects)
})

test('the deployment created last is the newest and can be rolled back, even after the clock was set back', async () => {
  await buildServer(daemon)
  aheadMs = -365 * DAY_MS
  await daemon.restart()
  const newest = await buildServer(daemon)
  const first = await deploy(daemon, newest, 'staging')
  aheadMs = -400 * DAY_MS
  await daemon.restart()
  const second = await deploy(daemon, newest, 'staging')
  expect(await idsOf('/v1/deploy', 'deployment_id')).toEqual([second.deployment_id, first.deployment_id])
  const { body } = await daemon.api('POST', `/v1/deploy/${second.deployment_id}/rollback`)
  expect(body.data.status).toBe('deployed')
})

test('staging keeps its newest five deployments, regardless of the clock', async () => {
  const mcpId = await buildServer(daemon)
  const made: string[] = []
  for (const days of [0, 10, -300, 5, -1, -2, 0]) {
    aheadMs = days * DAY_MS
    await daemon.restart()
    made.unshift((await deploy(daemon, mcpId, 'staging')).deployment_id)
  }
  await expect.poll(() => idsOf('/v1/deploy', 'deployment_id')).toEqual(made.slice(0, 5))
})

test('a key expires by the current clock and is valid again when the clock is corrected', async () => {
  const expiresAt = new Date(Date.now() + 2 * DAY_MS).toISOString()
  const { key } = await createKey(daemon, { scopes: ['READ'], expiresAt })
  const status = async () => (await daemon.api('GET', '/v1/build', { key })).status
  aheadMs = 3 * DAY_MS
  expect(await status()).toBe(401)
  await buildServer(daemon) // stores a record with a time in the future
  aheadMs = 0
  expect(await status()).toBe(200)
})

test('a rate-limited key waits at most an hour after the clock is set back and gets no second allowance', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const ask = () => daemon.api('GET', '/v1/build', { key })
  const real = Date.now
  let aheadMs = 5 * DAY_MS
  vi.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs)
  for (let request = 0; request < 60; request++) await ask()
  aheadMs = 4 * DAY_MS
  const { status, headers } = await ask()
  expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '39'])
  for (let request = 0; request < 39; request++) await ask()
  aheadMs = 0
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600)
  expect(Number(refused.headers['x-ratelimit-reset'])).toBeLessThanOrEqual(real() / 1000 + 3601)
  aheadMs = 3_601_000
  expect((await ask()).status).toBe(200)
})

test('the timestamps of a build and of its log lines stay in order when the clock is set back', async () => {
  const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: 'jumping' } })
  const body = tarGz([{ name: 'README.md', content: 'nothing to build' }])
  const headers = { 'content-type': 'application/gzip' }
  await daemon.api('PUT', `/api/projects/${project.id}/source`, { body, headers })
  aheadMs = 3 * DAY_MS
  const { body: build } = await daemon.api('POST', `/api/lambda-builds/trigger/${project.id}`)
  aheadMs = -3 * DAY_MS
  const read = async () => (await daemon.api('GET', `/api/lambda-builds/${build.id}`)).body
  await expect.poll(async () => (await read()).status).toBe('failed')
  const { createdAt, startTime, endTime } = await read()
  expect([createdAt, startTime, endTime]).toEqual([createdAt, startTime, endTime].toSorted())
  const { body: log } = await daemon.api('GET', `/api/lambda-builds/${build.id}/logs`)
  const moments = log.lines.map(({ timestamp }: { timestamp: string }) => timestamp)
  expect(moments.length).toBeGreaterThan(1)
  expect(moments).toEqual(moments.toSorted())
})
