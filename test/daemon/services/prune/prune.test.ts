import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PruneResult, UnusedItem } from '../../../../src/shared/contract/daemon/prune.ts'
import { seedSmallBase } from '../../../helpers/containers/small-base.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
  await seedSmallBase(daemon.home.images)
})
afterAll(() => daemon.close())

const DAY_MS = 24 * 3600_000

test('builds are unused unless a deployment, the preview or a rollback needs them', async () => {
  const build = (text: string) => buildServer(daemon, { ...echoServer('builds'), instructions: text })
  const oldest = await build('one')
  const deployed = await build('two')
  const superseded = await build('three')
  const target = await build('four')
  const live = await build('five')
  const preview = await build('six')
  await deploy(daemon, deployed, 'production')
  for (const id of [oldest, target, live]) await deploy(daemon, id, 'development')
  await daemon.api('POST', '/v1/build', {
    body: { ...echoServer('builds'), instructions: 'seven' },
    headers: { prefer: 'temporary' },
  })
  const listed = await unused('build', 'builds')
  expect(listed.map(({ id, reason }) => [id, reason])).toEqual([
    [oldest, 'unused'],
    [superseded, 'unused'],
  ])
  expect(listed.every(({ bytes }) => bytes > 100)).toBe(true)
  const items = [...listed.slice(1), { kind: 'build' as const, id: preview }]
  const result = await prune(items)
  expect(result.items.map(({ id }) => id)).toEqual([superseded])
  expect(result.kept).toMatchObject([{ id: preview, reason: 'It is in use or was removed.' }])
  expect((await unused('build', 'builds')).map(({ id }) => id)).toEqual([oldest])
  const { deployment_id } = (await daemon.api('GET', '/v1/deploy?name=builds&environment=development')).body
    .data.items[0]
  expect((await daemon.api('POST', `/v1/deploy/${deployment_id}/rollback`)).status).toBe(201)
})

test('failed builds are unused, and so are deployments that never served and were followed by another one', async () => {
  const id = await buildServer(daemon, echoServer('tries'))
  const first = await deploy(daemon, id, 'production')
  const second = await deploy(daemon, id, 'production')
  const broken = await buildServer(daemon, echoServer('broken'))
  write(database => {
    database
      .prepare("UPDATE deployments SET status = 'failed', deployed_at = NULL WHERE id = ?")
      .run(first.deployment_id)
    database.prepare("UPDATE builds SET status = 'failed' WHERE id = ?").run(broken)
  })
  expect(await unused('deployment', 'tries')).toMatchObject([{ id: first.deployment_id, reason: 'failed' }])
  expect(await unused('build', 'broken')).toMatchObject([{ id: broken, reason: 'failed' }])
  await prune()
  const { body } = await daemon.api('GET', '/v1/deploy?name=tries')
  expect(body.data.items).toMatchObject([{ deployment_id: second.deployment_id }])
  expect((await daemon.api('GET', `/v1/build/${broken}`)).status).toBe(404)
})

test('the image of a removed build is unused, including the layers that no other image has', async () => {
  const other = await buildServer(daemon, echoServer('other-image'))
  await daemon.api('GET', `/v1/build/${other}/image`)
  const id = await buildServer(daemon, echoServer('imaged'))
  await daemon.api('GET', `/v1/build/${id}/image`)
  await prune()
  await daemon.api('DELETE', `/v1/build/${id}`)
  const [image] = await unused('image', 'imaged')
  expect(image).toMatchObject({ reason: 'unused', id: expect.stringMatching(/^imaged:/) })
  expect(image!.bytes).toBeGreaterThan(1000)
  expect((await prune()).items).toEqual([image])
  const { items } = (await daemon.api('GET', '/api/prune')).body
  expect(items.filter(({ kind }: UnusedItem) => kind === 'layers' || kind === 'image')).toEqual([])
  expect((await daemon.api('GET', `/v1/build/${other}/image`)).status).toBe(200)
})

test('databases and state that a restore replaced are unused after a week', async () => {
  const nameOf = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().replace(/[:.]/g, '-')
  const [old, recent] = [nameOf(8), nameOf(6)]
  const database = (time: string) => join(daemon.home.home, `daemon.db.replaced-${time}`)
  for (const time of [old, recent]) writeFileSync(database(time), 'x'.repeat(500))
  writeFileSync(`${database(old)}-wal`, 'x'.repeat(70))
  mkdirSync(join(daemon.home.home, `state.replaced-${old}`, 'shop'), { recursive: true })
  const listed = [...(await unused('database')), ...(await unused('state'))]
  expect(listed).toMatchObject([
    { id: `daemon.db.replaced-${old}`, reason: 'replaced', bytes: 570 },
    { id: `state.replaced-${old}`, reason: 'replaced', bytes: 0 },
  ])
  await prune()
  const left = [database(old), `${database(old)}-wal`, database(recent)].map(path => existsSync(path))
  expect(left).toEqual([false, false, true])
})

test('files unknown to the database for a week are unused', async () => {
  const digest = '0'.repeat(64)
  writeFileSync(join(daemon.home.artifacts, `${digest}.json`), '{}')
  expect(await unused('file')).toEqual([])
  const since = new Date(Date.now() - 8 * DAY_MS).toISOString()
  const file = { bytes: 2, since, keptMs: 7 * DAY_MS }
  const record = { lookedAt: new Date().toISOString(), files: { [`artifacts/${digest}`]: file } }
  writeFileSync(daemon.home.unknownFiles, JSON.stringify(record))
  expect(await unused('file')).toMatchObject([{ id: `artifacts/${digest}`, bytes: 2, createdAt: since }])
  await prune()
  expect(existsSync(join(daemon.home.artifacts, `${digest}.json`))).toBe(false)
})

async function unused(kind: UnusedItem['kind'], name = ''): Promise<UnusedItem[]> {
  const { body } = await daemon.api('GET', '/api/prune')
  return body.items.filter((item: UnusedItem) => item.kind === kind && item.name === name)
}

async function prune(items?: Pick<UnusedItem, 'kind' | 'id'>[]): Promise<PruneResult> {
  const ids = items?.map(({ kind, id }) => ({ kind, id }))
  const { body } = await daemon.api('POST', '/api/prune', { body: ids ? { items: ids } : {} })
  return body
}

function write(work: (database: BetterSqlite3.Database) => void): void {
  const database = new BetterSqlite3(daemon.home.database)
  work(database)
  database.close()
}
