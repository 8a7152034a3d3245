import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

const instanceProgram = fixtureProgram('instance')

let daemon: TestDaemon
let url: string
let deploymentId: string

/** Deploys a server with a variable, and stops the daemon. */
beforeEach(async () => {
  daemon = await startTestDaemon({ instanceProgram })
  const mcpId = await buildServer(daemon, echoServer('sealed', { env: ['TOKEN'] }))
  const deployed = await deploy(daemon, mcpId, 'production', { env_vars: { TOKEN: 'x' } })
  url = deployed.url
  deploymentId = deployed.deployment_id
  await daemon.daemon.close()
})

afterEach(() => daemon.close())

async function answers(): Promise<string> {
  const answer = await fetch(url, { headers: { connection: 'close' } })
  return ((await answer.json()) as { tenantId: string }).tenantId
}

/** Part of the error message, by state of the database. */
const MESSAGES: Record<string, string> = {
  missing: 'is missing',
  empty: 'is empty',
  blank: 'is not the database of a daemon',
  foreign: 'is not the database of a daemon',
}

/** Replaces the database with a valid SQLite file that this SQL creates. */
function replaceDatabase(sql: string): void {
  renameSync(daemon.home.database, away(daemon.home.database))
  const connection = new BetterSqlite3(daemon.home.database)
  connection.exec(sql)
  connection.close()
}

const artifacts = () => readdirSync(daemon.home.artifacts)
const away = (path: string) => `${path}.away`

test.each([
  ['missing', () => renameSync(daemon.home.database, away(daemon.home.database))],
  [
    'empty',
    () => {
      renameSync(daemon.home.database, away(daemon.home.database))
      writeFileSync(daemon.home.database, '')
    },
  ],
  ['blank', () => replaceDatabase('create table a (b); drop table a')],
  ['foreign', () => replaceDatabase('create table notes (text)')],
])(
  'refuses to start with a %s database, and with --new-database keeps all files for the old database',
  async (state, lose) => {
    const before = artifacts()
    lose()
    await expect(daemon.restart()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(new RegExp(`${MESSAGES[state]}.*1 artifact, 1 key file`)),
      next: expect.arrayContaining([expect.objectContaining({ command: 'mcp daemon start --new-database' })]),
    })
    expect(artifacts()).toEqual(before)
    await daemon.restart({ newDatabase: true })
    expect((await daemon.api('GET', '/v1/build')).body.data.items).toEqual([])
    await expect.poll(() => existsSync(daemon.home.unknownFiles)).toBe(true)
    await daemon.daemon.close()
    expect(artifacts()).toEqual(before)
    renameSync(away(daemon.home.database), daemon.home.database)
    await daemon.restart()
    expect(await answers()).toBe(deploymentId)
  },
)

test('--new-database does not replace an existing database', async () => {
  await expect(daemon.restart({ newDatabase: true })).rejects.toMatchObject({ code: 'CONFLICT' })
  await daemon.restart()
  expect(await answers()).toBe(deploymentId)
})

test('refuses to start without the secret key, and serves again when it is back', async () => {
  renameSync(daemon.home.secretKey, away(daemon.home.secretKey))
  await expect(daemon.restart()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('of the database is missing'),
  })
  expect(existsSync(daemon.home.secretKey)).toBe(false)
  renameSync(away(daemon.home.secretKey), daemon.home.secretKey)
  await daemon.restart()
  expect(await answers()).toBe(deploymentId)
})

test('refuses to start with the secret key of another home', async () => {
  const key = readFileSync(daemon.home.secretKey)
  writeFileSync(daemon.home.secretKey, `${Buffer.alloc(32, 7).toString('base64')}\n`)
  await expect(daemon.restart()).rejects.toMatchObject({
    message: expect.stringContaining('does not belong to the database'),
  })
  writeFileSync(daemon.home.secretKey, key)
  await daemon.restart()
  expect(await answers()).toBe(deploymentId)
})

test('the secret key of an older database must decrypt its values', async () => {
  const key = readFileSync(daemon.home.secretKey)
  const forget = () => {
    const database = new BetterSqlite3(daemon.home.database)
    database.exec("DELETE FROM facts WHERE name = 'key_check'")
    database.close()
  }
  forget()
  rmSync(daemon.home.secretKey)
  await expect(daemon.restart()).rejects.toThrow('is missing')
  writeFileSync(daemon.home.secretKey, `${Buffer.alloc(32, 7).toString('base64')}\n`)
  await expect(daemon.restart()).rejects.toThrow('does not belong to the database')
  writeFileSync(daemon.home.secretKey, key)
  await daemon.restart()
  expect(await answers()).toBe(deploymentId)
})

test('with --new-secret-key, deployments that need the old key fail, and they start again with the old key', async () => {
  const key = readFileSync(daemon.home.secretKey)
  rmSync(daemon.home.secretKey)
  await daemon.restart({ newSecretKey: true })
  const status = async () => (await daemon.api('GET', `/v1/deploy/${deploymentId}/status`)).body.data
  await expect.poll(async () => (await status()).status).toBe('failed')
  expect((await status()).error.message).toMatch(/cannot be decrypted/)
  await daemon.daemon.close()
  writeFileSync(daemon.home.secretKey, key)
  await expect(daemon.restart()).rejects.toThrow('does not belong to the database')
  await daemon.restart({ newSecretKey: true })
  await expect.poll(async () => (await status()).status).toBe('deployed')
  expect(await answers()).toBe(deploymentId)
})

test('names a stored variable whose key is lost, and accepts a new value', async () => {
  await daemon.restart()
  const path = '/v1/servers/sealed/env/staging'
  await daemon.api('PATCH', path, { body: { variables: { TOKEN: 'old' } } })
  await daemon.daemon.close()
  rmSync(daemon.home.secretKey)
  await daemon.restart({ newSecretKey: true })
  const { body: builds } = await daemon.api('GET', '/v1/build')
  const body = { mcp_id: builds.data.items[0].mcp_id, environment: 'staging' }
  const refused = await daemon.api('POST', '/v1/deploy', { body })
  expect([refused.status, refused.body.error.message]).toEqual([
    503,
    expect.stringContaining('The stored variable TOKEN of "sealed" in staging cannot be decrypted'),
  ])
  await daemon.api('PATCH', path, { body: { variables: { TOKEN: 'new' } } })
  expect((await daemon.api('POST', '/v1/deploy', { body })).body.data.status).toBe('deployed')
})

test('keeps a damaged secret key under another name when a new one is created', async () => {
  truncateSync(daemon.home.secretKey, 5)
  await expect(daemon.restart()).rejects.toThrow('is damaged')
  await daemon.restart({ newSecretKey: true })
  const kept = readdirSync(daemon.home.home).filter(name => name.startsWith('secret.key.damaged-'))
  expect(kept).toHaveLength(1)
  expect(readFileSync(join(daemon.home.home, kept[0]!))).toHaveLength(5)
})

test('a deployment fails without its artifact, and starts again when the file is back', async () => {
  const [name] = artifacts()
  const file = join(daemon.home.artifacts, name!)
  renameSync(file, away(file))
  await daemon.restart()
  const status = async () => (await daemon.api('GET', `/v1/deploy/${deploymentId}/status`)).body.data.status
  await expect.poll(status).toBe('failed')
  await daemon.daemon.close()
  renameSync(away(file), file)
  await daemon.restart()
  await expect.poll(status).toBe('deployed')
})
