import { execFile } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { HomeBackups } from '../../../src/daemon/backup/home-backups.ts'
import { renderManifest, sha256 } from '../../../src/daemon/backup/manifest.ts'
import { RemoteBackups } from '../../../src/daemon/backup/remote-backups.ts'
import { openStorage } from '../../../src/daemon/builder/storage/open-storage.ts'
import type { DaemonConfig } from '../../../src/daemon/daemon-config.ts'
import { readBackupStorage } from '../../../src/daemon/home/storage-settings.ts'
import { Backups } from '../../../src/daemon/services/backups/backups.ts'
import { initial } from '../../../src/daemon/store/migrations/0001-initial.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'
import { tarGz } from '../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { startS3 } from '../../helpers/services/s3-server.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

const TOOL = fileURLToPath(new URL('../../../dist/database.js', import.meta.url))
const instanceProgram = fixtureProgram('instance')

/** A closed home with a deployed server that has a variable, and an uploaded source. */
let original: string
/** A copy of it for each test. */
let home: HomePaths

beforeAll(async () => {
  const daemon = await startTestDaemon({ instanceProgram })
  const mcpId = await buildServer(daemon, echoServer('sealed', { env: ['TOKEN'] }))
  await deploy(daemon, mcpId, 'production', { env_vars: { TOKEN: 'x' } })
  const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: 'app' } })
  await daemon.api('PUT', `/api/projects/${project.id}/source`, {
    body: tarGz([{ name: 'README.md', content: 'an app' }]),
    headers: { 'content-type': 'application/gzip' },
  })
  writeFileSync(daemon.home.config, '{"contexts":{}}')
  await daemon.daemon.close()
  original = daemon.home.home
})

afterAll(() => rmSync(original, { recursive: true }))

beforeEach(() => {
  home = homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-backup-')) })
  cpSync(original, home.home, { recursive: true })
})

afterEach(() => rmSync(home.home, { recursive: true }))

/** Runs `work` while a daemon uses the home. */
async function withDaemon<T>(
  work: (daemon: TestDaemon) => Promise<T>,
  changes: Partial<DaemonConfig> = {},
): Promise<T> {
  const daemon = await startTestDaemon({ instanceProgram, home, ...changes })
  try {
    return await work(daemon)
  } finally {
    await daemon.close()
  }
}

async function buildNames(daemon: TestDaemon): Promise<string[]> {
  const { items } = (await daemon.api('GET', '/v1/build')).body.data
  return items.map(({ name }: Answer) => name).sort()
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
type Answer = Record<string, any>

/** Runs in this process, which is faster. */
const here = () => new HomeBackups(home, async () => undefined)

/** Runs the tool as the command line does. Rejects with the error that it printed. */
async function tool(args: string[], env: NodeJS.ProcessEnv = {}, flags: string[] = []): Promise<Answer> {
  const all = { ...process.env, MCP_HOME: home.home, ...env }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, TOOL, ...args], { env: all })
    return JSON.parse(stdout)
  } catch (error) {
    const { stderr = '', signal } = error as { stderr?: string; signal?: string }
    if (signal) throw new Error(`ended with ${signal}`)
    throw Object.assign(new Error(stderr), JSON.parse(stderr.trim().split('\n').at(-1)!).error)
  }
}

const backup = () => here().make('manual')

/** Another empty home with the key of the first one. */
function newHome({ withKey = true } = {}): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-other-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (withKey) cpSync(home.secretKey, homePaths({ MCP_HOME: folder }).secretKey)
  return { MCP_HOME: folder }
}

/** Everything in a home that a restore may change. */
function contentOf(home: string): Record<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => /^(daemon\.db$|artifacts\/|sources\/|secret)/.test(name))
  return Object.fromEntries(
    files
      .filter(name => statSync(join(home, name)).isFile())
      .map(name => [name, readFileSync(join(home, name), 'base64')]),
  )
}

function damage(file: string): void {
  const descriptor = openSync(file, 'r+')
  const middle = Math.floor(statSync(file).size / 2 / 4096) * 4096
  writeSync(descriptor, Buffer.alloc(8192, 0xff), 0, 8192, middle)
  closeSync(descriptor)
}

/** Replaces a file of a backup. Its hard link is the home's file. */
function rewrite(file: string, content: string): void {
  rmSync(file)
  writeFileSync(file, content)
}

test('a backup has the database, every artifact and source, the configuration and a check value, but no key', async () => {
  const record = await withDaemon(async daemon => (await daemon.api('POST', '/api/daemon/backup')).body)
  expect(record).toMatchObject({ reason: 'manual', files: 3, missing: 0 })
  const objects = join(home.backups, 'objects')
  const stored = readdirSync(objects, { recursive: true, encoding: 'utf8' })
  for (const kind of ['artifacts', 'sources'] as const)
    for (const name of readdirSync(home[kind])) expect(stored).toContain(`${kind}/${name}`)
  const key = readFileSync(home.secretKey, 'utf8').trim()
  const manifest = readFileSync(record.file.replace(/db$/, 'json'), 'utf8')
  expect(JSON.parse(manifest).manifest.keyCheck).toMatch(/./)
  expect(manifest + readFileSync(record.file, 'latin1')).not.toContain(key)
  expect(await tool(['verify'])).toEqual({ file: record.file, problems: [] })
  expect(statSync(record.file).mode & 0o777).toBe(0o600)
})

test('stores an artifact once for all backups and removes it with the last backup that names it', async () => {
  await backup()
  const [artifact] = readdirSync(home.artifacts)
  const object = join(home.backups, 'objects', 'artifacts', artifact!)
  expect(statSync(object).ino).toBe(statSync(join(home.artifacts, artifact!)).ino)
  await backup()
  const database = new BetterSqlite3(home.database)
  database.exec('PRAGMA foreign_keys = OFF; DELETE FROM deployments; DELETE FROM builds; DELETE FROM servers')
  database.close()
  for (let count = 0; count < 6; count++) await here().make('manual')
  expect(existsSync(object)).toBe(true)
  await here().make('manual')
  expect(existsSync(object)).toBe(false)
  expect(await here().list()).toHaveLength(7)
})

test('backups of a new database do not replace those of the previous one', async () => {
  await backup()
  await makeNewDatabase()
  for (let count = 0; count < 8; count++) await here().make('manual')
  const all = await here().list()
  expect(all.filter(({ files }) => files === 3)).toHaveLength(1)
  expect(all).toHaveLength(8)
  const { wouldNotStart } = await tool(['restore', all.at(-1)!.name])
  expect(wouldNotStart).toEqual([])
  expect(await withDaemon(buildNames)).toEqual(['sealed'])
})

test('rebuilds a home from only a backup and the secret key', async () => {
  const { file } = await backup()
  const env = newHome()
  const paths = homePaths(env)
  expect(await tool(['restore', file], env)).toEqual({
    kept: null,
    files: 3,
    wouldNotStart: [],
    needBuild: [],
  })
  for (const kind of ['artifacts', 'sources'] as const)
    expect(readdirSync(paths[kind])).toEqual(readdirSync(home[kind]))
  expect(readFileSync(paths.config, 'utf8')).toBe('{"contexts":{}}')
  expect(await tool(['inspect'], env)).toMatchObject({ key: 'fits', missing: [] })
})

test.each([
  ['a damaged page of its database', ({ file }: Answer) => damage(file)],
  ['a truncated database', ({ file }: Answer) => truncateSync(file, 5000)],
  ['a database of another backup', ({ file }: Answer) => appendFileSync(file, Buffer.alloc(4096))],
  ['a truncated manifest', ({ file }: Answer) => truncateSync(file.replace(/db$/, 'json'), 100)],
  [
    'a changed artifact',
    ({ file }: Answer) => {
      const folder = join(file, '..', 'objects', 'artifacts')
      rewrite(join(folder, readdirSync(folder)[0]!), '{}')
    },
  ],
])('verify finds %s', async (_what, spoil) => {
  const record = await backup()
  spoil(record)
  expect((await here().verify(record.name)).problems).toHaveLength(1)
})

test('treats a manifest with a path outside of the home as damaged and writes nothing there', async () => {
  const { file } = await backup()
  const env = newHome()
  const manifestFile = file.replace(/db$/, 'json')
  const { manifest } = JSON.parse(readFileSync(manifestFile, 'utf8'))
  const content = 'from elsewhere'
  for (const path of ['../mcp-escaped', 'artifacts/../../mcp-escaped', 'secret.key', 'programs/escaped']) {
    const stored = join(file, '..', 'objects', path)
    mkdirSync(join(stored, '..'), { recursive: true })
    writeFileSync(stored, content)
    const target = join(env.MCP_HOME!, path)
    const before = existsSync(target) && readFileSync(target, 'utf8')
    const files = [...manifest.files, { path, digest: sha256(content), bytes: content.length }]
    writeFileSync(manifestFile, renderManifest({ ...manifest, files }))
    expect((await here().verify(manifest.name)).problems).toHaveLength(1)
    await expect(tool(['restore', file], env)).rejects.toThrow('its manifest is damaged')
    await tool(['restore', file, '--partial'], env)
    expect(existsSync(target) && readFileSync(target, 'utf8')).toBe(before)
  }
})

test.each([
  ['missing', (manifest: string) => rmSync(manifest)],
  [
    'damaged',
    (manifest: string) => rewrite(manifest, readFileSync(manifest, 'utf8').replace('"manual"', '"daily"')),
  ],
])(
  'a backup whose manifest is %s is restored with --partial only, as its database and the files it refers to',
  async (state, spoil) => {
    const { file, name } = await backup()
    const env = newHome()
    const before = contentOf(env.MCP_HOME!)
    spoil(file.replace(/db$/, 'json'))
    for (const task of ['check-restore', 'restore'])
      await expect(tool([task, file], env)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: `${file} cannot be restored: its manifest is ${state}. Nothing was changed.`,
        next: expect.arrayContaining([
          expect.objectContaining({ command: `mcp daemon restore ${file} --partial` }),
        ]),
      })
    expect(contentOf(env.MCP_HOME!)).toEqual(before)
    expect((await here().verify(name)).problems).toEqual([
      `its manifest is ${state}, so only its database was checked`,
    ])
    expect(await tool(['restore', file, '--partial'], env)).toMatchObject({ files: 2, wouldNotStart: [] })
  },
)

test('rejects the newest backup with a damaged manifest instead of using the previous one', async () => {
  await backup()
  const { file } = await backup()
  truncateSync(file.replace(/db$/, 'json'), 100)
  await expect(tool(['restore'])).rejects.toThrow(`${file} cannot be restored: its manifest is damaged`)
  expect(await tool(['inspect'])).toMatchObject({ backup: { file, hasManifest: false } })
})

test('ignores a foreign write-ahead log next to a backup', async () => {
  const { file, name } = await backup()
  const changed = join(newHome().MCP_HOME!, 'changed.db')
  cpSync(file, changed)
  const database = new BetterSqlite3(changed)
  database.pragma('journal_mode = WAL')
  database.exec("UPDATE deployments SET environment = 'staging'")
  cpSync(`${changed}-wal`, `${file}-wal`)
  database.close()
  const problem = `it was changed after it was made: remove ${file}-wal`
  expect((await here().verify(name)).problems).toEqual([problem])
  for (const task of ['check-restore', 'restore'])
    await expect(tool([task, file], newHome())).rejects.toThrow(`${file} cannot be restored: ${problem}`)
})

test('keeps files that only a backup with a damaged manifest refers to', async () => {
  const { file } = await backup()
  truncateSync(file.replace(/db$/, 'json'), 100)
  const objects = join(home.backups, 'objects')
  const stored = readdirSync(join(objects, 'artifacts'))
  await makeNewDatabase()
  await here().make('manual')
  expect(readdirSync(join(objects, 'artifacts'))).toEqual(stored)
})

test('reports restored deployments without their bundle, unpacked source, package or image', async () => {
  const programs = {
    module: { type: 'module', bundle: sha256('no such bundle') },
    source: { type: 'stdio', command: 'node', args: ['server.js'] },
    npm: {
      type: 'stdio',
      command: 'npx',
      args: ['x'],
      package: { digest: sha256('x'), version: '1.0.0', bin: 'x', args: [] },
    },
    image: { type: 'image', image: 'ghcr.io/example/x:1', id: 'sha256:1' },
  }
  const mcpIds = new Map<string, string>()
  await withDaemon(async daemon => {
    for (const name of Object.keys(programs)) {
      const mcpId = await buildServer(daemon, echoServer(name))
      await deploy(daemon, mcpId, 'development')
      mcpIds.set(name, mcpId)
    }
  })
  const database = new BetterSqlite3(home.database)
  for (const [name, program] of Object.entries(programs)) {
    const artifact = JSON.stringify({ program })
    writeFileSync(join(home.artifacts, `${sha256(artifact)}.json`), artifact)
    database
      .prepare('UPDATE builds SET digest = ?, source_digest = ? WHERE id = ?')
      .run(sha256(artifact), name === 'source' ? sha256('source') : null, mcpIds.get(name))
  }
  database.close()
  const { file } = await here().make('manual')
  const report = await tool(['restore', file, '--partial'], newHome())
  expect(report.wouldNotStart).toMatchObject([
    { name: 'module', reason: expect.stringContaining('bundle of its artifact is missing') },
    { name: 'source', reason: expect.stringContaining('unpacked source') },
  ])
  expect(report.needBuild).toMatchObject([
    { name: 'image', reason: expect.stringContaining('ghcr.io/example/x:1') },
    { name: 'npm', reason: expect.stringContaining('npm package') },
  ])
})

test('rejects a backup with a missing file and changes nothing, unless --partial is set', async () => {
  const { file } = await backup()
  const [artifact] = readdirSync(home.artifacts)
  for (const lost of [join(home.artifacts, artifact!), join(home.backups, 'objects', 'artifacts', artifact!)])
    rmSync(lost)
  const before = contentOf(home.home)
  for (const task of ['check-restore', 'restore'])
    await expect(tool([task, file])).rejects.toMatchObject({ details: `artifacts/${artifact}` })
  expect(contentOf(home.home)).toEqual(before)
  const { wouldNotStart } = await tool(['restore', file, '--partial'])
  expect(wouldNotStart).toMatchObject([
    { name: 'sealed', reason: expect.stringContaining('artifact is missing') },
  ])
})

test('rejects a backup of another secret key, or reports what would not start', async () => {
  const { file } = await backup()
  for (const other of [false, true]) {
    const env = newHome({ withKey: false })
    if (other) writeFileSync(homePaths(env).secretKey, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    await expect(tool(['restore', file], env)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(other ? 'is a different one' : 'is missing'),
    })
    expect(
      readdirSync(homePaths(env).home).filter(name => !/^(daemon\.lock|secret\.key|backups)/.test(name)),
    ).toEqual([])
    const { wouldNotStart } = await tool(['restore', file, '--new-secret-key'], env)
    expect(wouldNotStart).toMatchObject([
      { name: 'sealed', reason: expect.stringContaining('old secret.key') },
    ])
  }
})

/** Starts a daemon after the loss of its database, and stops it. */
async function makeNewDatabase(): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) rmSync(home.database + ending, { force: true })
  await withDaemon(async () => {}, { newDatabase: true })
}

/** Kills the process before the n-th rename or link, because only these change what the next start finds. */
const killedAt = (count: number) =>
  `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  let left = ${count}
  for (const name of ['renameSync', 'linkSync']) {
    const real = fs[name]
    fs[name] = (...args) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL')
      return real(...args)
    }
  }
  syncBuiltinESMExports()`)}`

/** Repeats a task and kills it one step later each time, until it finishes. */
async function killAtEachStep(args: string[], check: (step: number) => Promise<void>): Promise<number> {
  for (let step = 0; ; step++) {
    const isDone = await tool(args, {}, ['--import', killedAt(step)]).then(
      () => true,
      error => {
        if (!/SIGKILL/.test(error.message)) throw error
        return false
      },
    )
    await check(step)
    if (isDone) return step
  }
}

test('a restore that is killed at any step leaves the old or the new database intact', async () => {
  const { file } = await backup()
  await withDaemon(daemon => buildServer(daemon, echoServer('later')))
  let restored = false
  const steps = await killAtEachStep(['restore', file], async () => {
    const found = await withDaemon(buildNames)
    restored ||= found.length === 1
    expect(found).toEqual(restored ? ['sealed'] : ['later', 'sealed'])
  })
  expect(steps).toBeGreaterThan(3)
  expect(restored).toBe(true)
  const left = readdirSync(home.home).filter(name => /tmp|restoring|swap/.test(name))
  expect(left).toEqual([])
})

test('a backup that is killed at any step leaves earlier ones intact, and the next one succeeds', async () => {
  const { name } = await backup()
  const steps = await killAtEachStep(['backup', 'daily'], async () => {
    for (const one of await here().list()) {
      const unfinished = ['its manifest is missing, so only its database was checked']
      expect((await here().verify(one.name)).problems).toEqual(one.reason ? [] : unfinished)
    }
  })
  expect(steps).toBeGreaterThan(2)
  expect((await here().list()).map(one => one.name)).toContain(name)
  expect(await backup()).toMatchObject({ files: 3, missing: 0 })
})

test.each(['folder', 'bucket'])(
  'with MCP_BACKUP a %s holds backups from which a lost home is rebuilt',
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
    const { sentTo, sendError } = await tool(['backup', 'manual'], remote)
    expect([sendError, sentTo]).toEqual([undefined, expect.stringContaining('/manifests/')])
    const storage = await openStorage(home.home, readBackupStorage({ ...process.env, ...remote }))
    const both = new HomeBackups(home, async () => new RemoteBackups(storage))
    for (let count = 0; count < 8; count++) await both.make('manual')
    const env = { ...newHome(), ...remote }
    const all = (await tool(['list'], env)) as Answer[]
    expect(all).toHaveLength(7)
    expect(await tool(['verify'], env)).toMatchObject({ problems: [] })
    expect(await tool(['restore'], env)).toEqual({
      kept: null,
      files: 3,
      wouldNotStart: [],
      needBuild: [],
    })
    expect(readdirSync(homePaths(env).artifacts)).toEqual(readdirSync(home.artifacts))
    if (kind === 'bucket') return
    const [id] = readdirSync(elsewhere)
    const objects = join(elsewhere, id!, 'objects', 'artifacts')
    writeFileSync(join(objects, readdirSync(objects)[0]!), '{}')
    expect((await tool(['verify'], env)).problems).toHaveLength(1)
    await expect(tool(['restore', all[0]!.name], { ...newHome(), ...remote })).rejects.toThrow(
      /digest|missing or damaged/,
    )
  },
)

test('backs up the home and reports an unreachable storage', async () => {
  const remote = { MCP_BACKUP: 's3://nowhere/safe', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' }
  const { sendError, file } = await tool(['backup', 'daily'], remote)
  expect(sendError).toContain('no credentials for the bucket in MCP_BACKUP')
  expect((await tool(['verify', file])).problems).toEqual([])
  const status = JSON.parse(readFileSync(join(home.backups, 'status.json'), 'utf8'))
  expect(status.error).toBe(sendError)
})

/** A database of the first schema with one build. */
function makeOldDatabase(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(home.database + ending, { force: true })
  const [artifact] = readdirSync(home.artifacts)
  const database = new BetterSqlite3(home.database)
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

test('backs up a database of an older version before migrating it', async () => {
  makeOldDatabase()
  await withDaemon(async () => {})
  const [made] = (await tool(['list'])) as Answer[]
  expect(made).toMatchObject({ reason: 'migration', files: 2 })
  const before = new BetterSqlite3(made!.file, { readonly: true })
  expect(before.pragma('user_version', { simple: true })).toBe(1)
  before.close()
})

test('does not migrate a database that cannot be backed up', async () => {
  makeOldDatabase()
  writeFileSync(home.backups, 'no folder')
  await expect(withDaemon(async () => {})).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('because its backup failed'),
  })
  const same = new BetterSqlite3(home.database)
  expect(same.pragma('user_version', { simple: true })).toBe(1)
  same.close()
})

test('the daemon makes a daily backup', async () => {
  const daily = { reason: 'daily', files: 3, missing: 0 }
  await withDaemon(() => vi.waitFor(async () => expect(await here().list()).toMatchObject([daily]), 20_000), {
    backupDelayMs: 1,
  })
  const [made] = await here().list()
  expect((await here().verify(made!.name)).problems).toEqual([])
})

test('a backup is due after a day, after a jump of the clock, and with another version', () => {
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

test('backs up stores and data folders, and restores them together with the database', async () => {
  const files = join(home.state, 'sealed', 'production', 'files')
  mkdirSync(join(files, 'sub'), { recursive: true })
  writeFileSync(join(files, 'sub', 'notes.txt'), 'kept')
  symlinkSync('/etc/hostname', join(files, 'link'))
  const place = '/v1/servers/sealed/store/production'
  const read = async (daemon: TestDaemon) => (await daemon.api('GET', `${place}?key=a`)).body.data.items
  await withDaemon(async daemon => {
    const set = [{ key: 'a', value: 'before' }]
    expect((await daemon.api('PATCH', place, { body: { set } })).status).toBe(200)
    await backup()
    await daemon.api('PATCH', place, { body: { set: [{ key: 'a', value: 'after' }] } })
  })
  writeFileSync(join(files, 'sub', 'notes.txt'), 'changed')
  await tool(['restore'])
  await withDaemon(async daemon => expect(await read(daemon)).toMatchObject([{ value: 'before' }]))
  expect(readFileSync(join(files, 'sub', 'notes.txt'), 'utf8')).toBe('kept')
  expect(existsSync(join(files, 'link'))).toBe(false)
  const replaced = readdirSync(home.home).find(name => name.startsWith('state.replaced-'))!
  expect(readFileSync(join(home.home, replaced, 'sealed/production/files/sub/notes.txt'), 'utf8')).toBe(
    'changed',
  )
})
