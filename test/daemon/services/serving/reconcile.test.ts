import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDaemon } from '../../../../src/daemon/daemon.ts'
import { homePaths } from '../../../../src/shared/paths.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { fixtureProgram } from '../../../helpers/vitest/fixture-programs.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

const instanceProgram = fixtureProgram('instance')

let daemon: TestDaemon

beforeEach(async () => {
  daemon = await startTestDaemon({ instanceProgram })
})

afterEach(() => daemon.close())

const status = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data

async function ask(url: string) {
  const answer = await fetch(url, { headers: { connection: 'close' } })
  return (await answer.json()) as { pid: number; tenantId: string }
}

/** Listens on the port of the URL, like another program. */
async function occupy(url: string): Promise<{ close(): Promise<unknown> }> {
  const other = createServer()
  other.listen(Number(new URL(url).port), '127.0.0.1')
  await once(other, 'listening')
  return { close: () => new Promise(resolve => other.close(resolve)) }
}

/** Changes the database to a state that a killed daemon leaves behind. */
function writeStates(changes: string): void {
  const database = new BetterSqlite3(daemon.home.database)
  database.exec(changes)
  database.close()
}

test('after a restart, deployed servers serve at their old URL and stopped ones do not', async () => {
  const mcpId = await buildServer(daemon)
  const deployed = [await deploy(daemon, mcpId, 'production'), await deploy(daemon, mcpId, 'staging')]
  const stopped = await deploy(daemon, mcpId, 'development')
  await daemon.api('POST', `/v1/deploy/${stopped.deployment_id}/stop`)
  const preview = (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data.url
  await daemon.restart()
  for (const { deployment_id, url } of deployed) {
    expect((await ask(url)).tenantId).toBe(deployment_id)
    expect(await status(deployment_id)).toMatchObject({ status: 'deployed', url })
  }
  expect((await ask(preview)).tenantId).toBe(mcpId)
  await expect(fetch(stopped.url)).rejects.toThrow()
})

test('fails work that a crash interrupted, and keeps serving the old deployment', async () => {
  const mcpId = await buildServer(daemon)
  const live = await deploy(daemon, mcpId, 'production')
  const interrupted = await deploy(daemon, mcpId, 'staging')
  const building = await buildServer(daemon, echoServer('half-built'))
  writeStates(`
    UPDATE deployments SET status = 'deploying', deployed_at = NULL WHERE id = '${interrupted.deployment_id}';
    UPDATE builds SET status = 'building', digest = NULL WHERE id = '${building}';
    UPDATE servers SET preview_mcp_id = NULL WHERE name = 'half-built';`)
  await daemon.restart()
  expect(await status(interrupted.deployment_id)).toMatchObject({
    status: 'failed',
    error: { code: 'INTERRUPTED' },
  })
  const { body } = await daemon.api('GET', `/v1/build/${building}`)
  expect(body.data).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
  expect((await ask(live.url)).tenantId).toBe(live.deployment_id)
})

test('fails a deployment whose port another program uses, until the port is free', async () => {
  const mcpId = await buildServer(daemon)
  const { deployment_id, url } = await deploy(daemon, mcpId, 'production')
  const neighbour = await deploy(daemon, await buildServer(daemon, echoServer('neighbour')), 'production')
  await daemon.daemon.close()
  const other = await occupy(url)
  await daemon.restart()
  expect((await ask(neighbour.url)).tenantId).toBe(neighbour.deployment_id)
  await expect.poll(async () => (await status(deployment_id)).status).toBe('failed')
  const { error } = await status(deployment_id)
  expect(error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(new URL(url).port) })
  await other.close()
  await expect.poll(async () => (await status(deployment_id)).status).toBe('deployed')
  expect((await ask(url)).tenantId).toBe(deployment_id)
})

test('the next daemon starts failed deployments again, but not a replaced one, even after the replacement is removed', async () => {
  const mcpId = await buildServer(daemon)
  const older = await deploy(daemon, mcpId, 'production')
  await daemon.daemon.close()
  const other = await occupy(older.url)
  await daemon.restart()
  await expect.poll(async () => (await status(older.deployment_id)).status).toBe('failed')
  const release = { mcp_id: mcpId, environment: 'production' }
  const newer = (await daemon.api('POST', '/v1/deploy', { body: release })).body.data
  expect(newer).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } })
  await daemon.daemon.close()
  await other.close()
  await daemon.restart()
  await expect.poll(async () => (await status(newer.deployment_id)).status).toBe('deployed')
  expect((await ask(older.url)).tenantId).toBe(newer.deployment_id)
  expect((await status(older.deployment_id)).status).toBe('failed')
  await daemon.api('DELETE', `/v1/deploy/${newer.deployment_id}`)
  const { status: left, error } = await status(older.deployment_id)
  expect({ left, message: error.message }).toEqual({
    left: 'failed',
    message:
      "The port of this server's address was in use by another program, and a later deployment replaced this one.",
  })
})

test('a preview whose port another program uses answers when the port is free', async () => {
  const mcpId = await buildServer(daemon)
  const { url } = (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data
  await daemon.daemon.close()
  const other = await occupy(url)
  await daemon.restart()
  await other.close()
  await expect.poll(() => ask(url).catch(() => undefined)).toMatchObject({ tenantId: mcpId })
})

test('closing the daemon stops every process that it started', async () => {
  const { url } = await deploy(daemon, await buildServer(daemon), 'production')
  const { pid } = await ask(url)
  await daemon.restart({ warmSpares: 0 })
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
})

test('a deployment that starts while the daemon stops fails as interrupted and can be started again', async () => {
  const mcp_id = await buildServer(daemon, echoServer('hanging', { data: { hang: true } }))
  const headers = { prefer: 'respond-async' }
  const { body } = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id, environment: 'production' },
    headers,
  })
  const { deployment_id } = body.data
  await daemon.restart()
  expect(await status(deployment_id)).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
  const again = await daemon.api('POST', `/v1/deploy/${deployment_id}/start`, { headers })
  expect(again.body.data.status).toBe('deploying')
})

test('keeps files without a record, and removes half-written files and servers without builds', async () => {
  const mcpId = await buildServer(daemon)
  const { deployment_id } = await deploy(daemon, mcpId, 'production')
  const gone = await buildServer(daemon, echoServer('gone', { data: 1 }))
  const { digest } = (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data
  writeStates(`DELETE FROM builds WHERE id = '${gone}'`)
  const { artifacts, logs, sources, programSources } = daemon.home
  writeFileSync(join(artifacts, `${digest}.json.abc.tmp`), 'half')
  writeFileSync(join(sources, 'abc.tmp'), 'half')
  mkdirSync(join(programSources, 'abc.tmp', 'tools'), { recursive: true })
  for (const id of ['dep_gone', gone, deployment_id, mcpId]) mkdirSync(join(logs, id), { recursive: true })
  await daemon.restart()
  expect(readdirSync(sources)).toEqual([])
  expect(readdirSync(programSources)).toEqual([])
  await expect.poll(() => existsSync(daemon.home.unknownFiles)).toBe(true)
  const { files } = JSON.parse(readFileSync(daemon.home.unknownFiles, 'utf8'))
  const [unknown] = readdirSync(artifacts).filter(name => name !== `${digest}.json`)
  const expected = [`artifacts/${unknown!.replace('.json', '')}`, `logs/${gone}`, 'logs/dep_gone']
  expect(Object.keys(files).sort()).toEqual(expected.sort())
  expect(readdirSync(artifacts)).toHaveLength(2)
  expect(readdirSync(logs)).toEqual(expect.arrayContaining([deployment_id, mcpId, gone, 'dep_gone']))
  const database = new BetterSqlite3(daemon.home.database)
  expect(database.prepare('SELECT name FROM servers').pluck().all()).toEqual(['echo'])
  database.close()
})

test('after a restart, the preview serves a build that became ready just before a crash', async () => {
  const older = await buildServer(daemon)
  const newer = await buildServer(daemon, echoServer('echo', { data: 2 }))
  const { url } = (await daemon.api('GET', `/v1/build/${newer}`)).body.data
  for (const before of [`'${older}'`, 'NULL', "'mcp_removed'"]) {
    writeStates(`UPDATE servers SET preview_mcp_id = ${before}`)
    await daemon.restart()
    expect((await ask(url)).tenantId).toBe(newer)
  }
})

test('reports a port in use and the variable that selects another port, and changes nothing', async () => {
  const { deployment_id } = await deploy(daemon, await buildServer(daemon), 'production')
  const home = homePaths({ MCP_HOME: `${daemon.home.home}/other` })
  const config = {
    home,
    port: daemon.daemon.port,
    instanceProgram,
    nonce: 'n',
    startedAt: new Date().toISOString(),
  }
  await expect(createDaemon(config)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(String(daemon.daemon.port)),
    details: expect.stringContaining('MCP_PORT'),
  })
  expect((await status(deployment_id)).status).toBe('deployed')
})

test('a damaged database prevents the start with an explanation', async () => {
  await daemon.daemon.close()
  const damaged = 'this was a database once '.repeat(400)
  writeFileSync(daemon.home.database, damaged)
  for (const suffix of ['-wal', '-shm']) rmSync(daemon.home.database + suffix, { force: true })
  await expect(daemon.restart()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/is damaged/),
  })
  rmSync(daemon.home.database)
  await daemon.restart({ newDatabase: true })
})

test('a damaged key file prevents the start with an explanation', async () => {
  const key = readFileSync(daemon.home.secretKey)
  writeFileSync(daemon.home.secretKey, 'short')
  await expect(daemon.restart()).rejects.toMatchObject({
    message: expect.stringMatching(/key file .* is damaged/),
  })
  writeFileSync(daemon.home.secretKey, key)
  await daemon.restart()
})
