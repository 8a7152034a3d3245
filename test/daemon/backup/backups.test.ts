import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { HomeBackups } from '../../../src/daemon/backup/home-backups.ts'
import { RemoteBackups } from '../../../src/daemon/backup/remote-backups.ts'
import { openStorage } from '../../../src/daemon/builder/storage/open-storage.ts'
import { readBackupStorage } from '../../../src/daemon/home/storage-settings.ts'
import { Backups } from '../../../src/daemon/services/backups/backups.ts'
import { initial } from '../../../src/daemon/store/migrations/0001-initial.ts'
import { homePaths } from '../../../src/shared/paths.ts'
import { startS3 } from '../../helpers/services/s3-server.ts'
import { type Answer, buildNames, rewrite, UsedHome } from './used-home.ts'

const TOOL = fileURLToPath(new URL('../../../dist/database.js', import.meta.url))
const used = new UsedHome()

beforeAll(() => used.create())
beforeEach(() => used.copy())
afterEach(() => used.discardCopy())
afterAll(() => used.remove())

function damage(file: string): void {
  const descriptor = openSync(file, 'r+')
  const middle = Math.floor(statSync(file).size / 2 / 4096) * 4096
  writeSync(descriptor, Buffer.alloc(8192, 0xff), 0, 8192, middle)
  closeSync(descriptor)
}

/** Replaces the database with one that has the first schema and one build. */
function makeOldDatabase(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(used.home.database + ending, { force: true })
  const [artifact] = readdirSync(used.home.artifacts)
  const database = new BetterSqlite3(used.home.database)
  database.exec(initial)
  database.pragma('user_version = 1')
  database.exec("INSERT INTO servers VALUES ('old', NULL, '2026-01-01T00:00:00.000Z')")
  database
    .prepare(
      `INSERT INTO builds (id, name, template, status, digest, tools, resources, prompts, env, created_at)
       VALUES ('mcp_old', 'old', 'basic', 'ready', ?, '[]', '[]', '[]', '[]', '2026-01-01T00:00:00.000Z')`,
    )
    .run(artifact!.replace('.json', ''))
  database.close()
}

test('a backup contains the database, all artifacts and sources, the configuration and a check value of the key, but not the key', async () => {
  const record = await used.withDaemon(async daemon => (await daemon.api('POST', '/api/daemon/backup')).body)
  expect(record).toMatchObject({ reason: 'manual', files: 3, missing: 0 })
  const objects = join(used.home.backups, 'objects')
  const stored = readdirSync(objects, { recursive: true, encoding: 'utf8' })
  for (const kind of ['artifacts', 'sources'] as const)
    for (const name of readdirSync(used.home[kind])) expect(stored).toContain(`${kind}/${name}`)
  const key = readFileSync(used.home.secretKey, 'utf8').trim()
  const manifest = readFileSync(record.file.replace(/db$/, 'json'), 'utf8')
  expect(JSON.parse(manifest).manifest.keyCheck).toMatch(/./)
  expect(manifest + readFileSync(record.file, 'latin1')).not.toContain(key)
  expect(await used.tool(['verify'])).toEqual({ file: record.file, problems: [] })
  expect(statSync(record.file).mode & 0o777).toBe(0o600)
})

test('stores an artifact once for all backups and removes it with the last backup that references it', async () => {
  await used.backup()
  const [artifact] = readdirSync(used.home.artifacts)
  const object = join(used.home.backups, 'objects', 'artifacts', artifact!)
  expect(statSync(object).ino).toBe(statSync(join(used.home.artifacts, artifact!)).ino)
  await used.backup()
  const database = new BetterSqlite3(used.home.database)
  database.exec('PRAGMA foreign_keys = OFF; DELETE FROM deployments; DELETE FROM builds; DELETE FROM servers')
  database.close()
  for (let count = 0; count < 6; count++) await used.backups().make('manual')
  expect(existsSync(object)).toBe(true)
  await used.backups().make('manual')
  expect(existsSync(object)).toBe(false)
  expect((await used.backups().list()).items).toHaveLength(7)
})

test('backups of a new database do not replace those of the previous one', async () => {
  await used.backup()
  await used.makeNewDatabase()
  for (let count = 0; count < 8; count++) await used.backups().make('manual')
  const { items: all } = await used.backups().list()
  expect(all.filter(({ files }) => files === 3)).toHaveLength(1)
  expect(all).toHaveLength(8)
  const { wouldNotStart } = await used.tool(['restore', all.at(-1)!.name])
  expect(wouldNotStart).toEqual([])
  expect(await used.withDaemon(buildNames)).toEqual(['sealed'])
})

test.each([
  ['a damaged page in the database', ({ file }: Answer) => damage(file)],
  ['a truncated database', ({ file }: Answer) => truncateSync(file, 5000)],
  ['a database with an additional page', ({ file }: Answer) => appendFileSync(file, Buffer.alloc(4096))],
  ['a truncated manifest', ({ file }: Answer) => truncateSync(file.replace(/db$/, 'json'), 100)],
  [
    'a changed artifact',
    ({ file }: Answer) => {
      const folder = join(file, '..', 'objects', 'artifacts')
      rewrite(join(folder, readdirSync(folder)[0]!), '{}')
    },
  ],
])('verify finds %s', async (_what, spoil) => {
  const record = await used.backup()
  spoil(record)
  expect((await used.backups().verify(record.name)).problems).toHaveLength(1)
})

test('keeps files that are only used by a backup with a damaged manifest', async () => {
  const { file } = await used.backup()
  truncateSync(file.replace(/db$/, 'json'), 100)
  const objects = join(used.home.backups, 'objects')
  const stored = readdirSync(join(objects, 'artifacts'))
  await used.makeNewDatabase()
  await used.backups().make('manual')
  expect(readdirSync(join(objects, 'artifacts'))).toEqual(stored)
})

test.each(['folder', 'bucket'])(
  'with MCP_BACKUP, a lost home can be restored from backups in a %s',
  async kind => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'mcp-elsewhere-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    let remote: NodeJS.ProcessEnv = { MCP_BACKUP: pathToFileURL(elsewhere).href }
    if (kind === 'bucket') {
      const server = await startS3()
      onTestFinished(() => server[Symbol.asyncDispose]())
      const { bucket, endpoint, credentials } = server.settings
      remote = {
        MCP_BACKUP: `s3://${bucket}/safe`,
        AWS_ENDPOINT_URL: endpoint,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      }
    }
    const { sentTo, sendError } = await used.tool(['backup', 'manual'], remote)
    expect([sendError, sentTo]).toEqual([undefined, expect.stringContaining('/manifests/')])
    const storage = await openStorage(used.home.home, readBackupStorage({ ...process.env, ...remote }))
    const both = new HomeBackups(used.home, async () => new RemoteBackups(storage))
    for (let count = 0; count < 8; count++) await both.make('manual')
    const env = { ...used.newHome(), ...remote }
    const { items: all } = (await used.tool(['list'], env)) as { items: Answer[] }
    expect(all).toHaveLength(7)
    expect(await used.tool(['verify'], env)).toMatchObject({ problems: [] })
    expect(await used.tool(['restore'], env)).toEqual({
      kept: null,
      files: 3,
      wouldNotStart: [],
      needBuild: [],
    })
    expect(readdirSync(homePaths(env).artifacts)).toEqual(readdirSync(used.home.artifacts))
    if (kind === 'bucket') return
    const [id] = readdirSync(elsewhere)
    const objects = join(elsewhere, id!, 'objects', 'artifacts')
    writeFileSync(join(objects, readdirSync(objects)[0]!), '{}')
    expect((await used.tool(['verify'], env)).problems).toHaveLength(1)
    await expect(used.tool(['restore', all[0]!.name], { ...used.newHome(), ...remote })).rejects.toThrow(
      /digest|missing or damaged/,
    )
  },
)

test('backs up the home and reports why the backup was not sent', async () => {
  const remote = { MCP_BACKUP: 's3://nowhere/safe', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' }
  const { sendError, file } = await used.tool(['backup', 'daily'], remote)
  expect(sendError).toContain('no credentials for the bucket in MCP_BACKUP')
  expect((await used.tool(['verify', file])).problems).toEqual([])
  expect(await used.tool(['list'], remote)).toMatchObject({ items: [{ file }], storageError: sendError })
  const status = JSON.parse(readFileSync(join(used.home.backups, 'status.json'), 'utf8'))
  expect(status.error).toBe(sendError)
})

test('backs up a database from an older version before migrating it', async () => {
  makeOldDatabase()
  await used.withDaemon(async () => {})
  const [made] = (await used.tool(['list'])).items as Answer[]
  expect(made).toMatchObject({ reason: 'migration', files: 2 })
  const before = new BetterSqlite3(made!.file, { readonly: true })
  expect(before.pragma('user_version', { simple: true })).toBe(1)
  before.close()
})

test('does not migrate a database that cannot be backed up', async () => {
  makeOldDatabase()
  writeFileSync(used.home.backups, 'no folder')
  await expect(used.withDaemon(async () => {})).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('because its backup failed'),
  })
  const same = new BetterSqlite3(used.home.database)
  expect(same.pragma('user_version', { simple: true })).toBe(1)
  same.close()
})

test('the daemon makes a daily backup', async () => {
  const daily = { reason: 'daily', files: 3, missing: 0 }
  await used.withDaemon(
    () => vi.waitFor(async () => expect((await used.backups().list()).items).toMatchObject([daily]), 20_000),
    {
      backupDelayMs: 1,
    },
  )
  const [made] = (await used.backups().list()).items
  expect((await used.backups().verify(made!.name)).problems).toEqual([])
})

test('a backup is due after a day, after a clock jump, and after a version change', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-due-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const backups = new Backups({ program: TOOL, env: {}, directory })
  const nowMs = Date.parse('2026-03-01T00:00:00Z')
  const made = (hours: number) => {
    const file = join(directory, 'daemon-2026-02-28T12-00-00-000Z.db')
    writeFileSync(file, '')
    utimesSync(file, nowMs / 1000 + hours * 3600, nowMs / 1000 + hours * 3600)
  }
  expect(backups.due(nowMs)).toBe('daily')
  made(-23)
  expect(backups.due(nowMs)).toBeUndefined()
  for (const hours of [-25, 25]) {
    made(hours)
    expect(backups.due(nowMs)).toBe('daily')
  }
  made(-1)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'status.json'), '{"version":"0.0.1"}')
  expect(backups.due(nowMs)).toBe('upgrade')
})
