import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { renderManifest, sha256 } from '../../../src/daemon/backup/manifest.ts'
import { homePaths } from '../../../src/shared/paths.ts'
import type { TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'
import { buildNames, rewrite, UsedHome } from './used-home.ts'

const used = new UsedHome()

beforeAll(() => used.create())
beforeEach(() => used.copy())
afterEach(() => used.discardCopy())
afterAll(() => used.remove())

/** Contents of the database, artifacts, sources and secret key of a home, by path. */
function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => /^(daemon\.db$|artifacts\/|sources\/|secret)/.test(name))
  return Object.fromEntries(
    files
      .filter(name => statSync(join(folder, name)).isFile())
      .map(name => [name, readFileSync(join(folder, name), 'base64')]),
  )
}

/** URL of a module that kills the process before its next rename or link after `count` of them. */
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
    const isDone = await used.tool(args, {}, ['--import', killedAt(step)]).then(
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

test('rebuilds a home from only a backup and the secret key', async () => {
  const { file } = await used.backup()
  const env = used.newHome()
  const paths = homePaths(env)
  expect(await used.tool(['restore', file], env)).toEqual({
    kept: null,
    files: 3,
    wouldNotStart: [],
    needBuild: [],
  })
  for (const kind of ['artifacts', 'sources'] as const)
    expect(readdirSync(paths[kind])).toEqual(readdirSync(used.home[kind]))
  expect(readFileSync(paths.config, 'utf8')).toBe('{"contexts":{}}')
  const checks = await used.tool(['checks'], env)
  const passed = (message: string) => expect.objectContaining({ status: 'pass', message })
  expect(checks).toContainEqual(passed(`${paths.secretKey} matches the database`))
  expect(checks).toContainEqual(passed('no artifacts or sources are missing'))
})

test('treats a manifest with a path that no backup can contain as damaged and writes nothing to that path', async () => {
  const { file } = await used.backup()
  const env = used.newHome()
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
    expect((await used.backups().verify(manifest.name)).problems).toHaveLength(1)
    await expect(used.tool(['restore', file], env)).rejects.toThrow('its manifest is damaged')
    await used.tool(['restore', file, '--partial'], env)
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
  'a backup whose manifest is %s requires --partial, which restores its database and the referenced files',
  async (state, spoil) => {
    const { file, name } = await used.backup()
    const env = used.newHome()
    const before = contentOf(env.MCP_HOME!)
    spoil(file.replace(/db$/, 'json'))
    for (const task of ['check-restore', 'restore'])
      await expect(used.tool([task, file], env)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: `${file} cannot be restored: its manifest is ${state}. Nothing was changed.`,
        next: expect.arrayContaining([
          expect.objectContaining({ command: `mcp daemon restore ${file} --partial` }),
        ]),
      })
    expect(contentOf(env.MCP_HOME!)).toEqual(before)
    expect((await used.backups().verify(name)).problems).toEqual([
      `its manifest is ${state}, so only its database was checked`,
    ])
    expect(await used.tool(['restore', file, '--partial'], env)).toMatchObject({
      files: 2,
      wouldNotStart: [],
    })
  },
)

test('rejects the newest backup with a damaged manifest instead of using the previous one', async () => {
  await used.backup()
  const { file, name } = await used.backup()
  truncateSync(file.replace(/db$/, 'json'), 100)
  await expect(used.tool(['restore'])).rejects.toThrow(`${file} cannot be restored: its manifest is damaged`)
  const message = `the last backup ${name} has no valid manifest`
  expect(await used.tool(['checks'])).toContainEqual(expect.objectContaining({ name: 'backups', message }))
})

test('rejects a backup with a foreign write-ahead log next to it', async () => {
  const { file, name } = await used.backup()
  const changed = join(used.newHome().MCP_HOME!, 'changed.db')
  cpSync(file, changed)
  const database = new BetterSqlite3(changed)
  database.pragma('journal_mode = WAL')
  database.exec("UPDATE deployments SET environment = 'staging'")
  cpSync(`${changed}-wal`, `${file}-wal`)
  database.close()
  const problem = `it was changed after it was made. Remove ${file}-wal`
  expect((await used.backups().verify(name)).problems).toEqual([problem])
  for (const task of ['check-restore', 'restore'])
    await expect(used.tool([task, file], used.newHome())).rejects.toThrow(
      `${file} cannot be restored: ${problem}`,
    )
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
  await used.withDaemon(async daemon => {
    for (const name of Object.keys(programs)) {
      const mcpId = await buildServer(daemon, echoServer(name))
      await deploy(daemon, mcpId, 'development')
      mcpIds.set(name, mcpId)
    }
  })
  const database = new BetterSqlite3(used.home.database)
  for (const [name, program] of Object.entries(programs)) {
    const artifact = JSON.stringify({ program })
    writeFileSync(join(used.home.artifacts, `${sha256(artifact)}.json`), artifact)
    database
      .prepare('UPDATE builds SET digest = ?, source_digest = ? WHERE id = ?')
      .run(sha256(artifact), name === 'source' ? sha256('source') : null, mcpIds.get(name))
  }
  database.close()
  const { file } = await used.backups().make('manual')
  const report = await used.tool(['restore', file, '--partial'], used.newHome())
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
  const { file } = await used.backup()
  const [artifact] = readdirSync(used.home.artifacts)
  for (const lost of [
    join(used.home.artifacts, artifact!),
    join(used.home.backups, 'objects', 'artifacts', artifact!),
  ])
    rmSync(lost)
  const before = contentOf(used.home.home)
  for (const task of ['check-restore', 'restore'])
    await expect(used.tool([task, file])).rejects.toMatchObject({ details: `artifacts/${artifact}` })
  expect(contentOf(used.home.home)).toEqual(before)
  const { wouldNotStart } = await used.tool(['restore', file, '--partial'])
  expect(wouldNotStart).toMatchObject([
    { name: 'sealed', reason: expect.stringContaining('artifact is missing') },
  ])
})

test('rejects a backup that needs another secret key, and with --new-secret-key reports what would not start', async () => {
  const { file } = await used.backup()
  const keys = { 'is missing': undefined, 'is damaged': 'no key', 'is not the one': Buffer.alloc(32, 7) }
  for (const [state, key] of Object.entries(keys)) {
    const env = used.newHome({ withKey: false })
    if (key) writeFileSync(homePaths(env).secretKey, `${key.toString('base64')}\n`)
    await expect(used.tool(['restore', file], env)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(state),
    })
    expect(
      readdirSync(homePaths(env).home).filter(name => !/^(daemon\.lock|secret\.key|backups)/.test(name)),
    ).toEqual([])
    const { wouldNotStart } = await used.tool(['restore', file, '--new-secret-key'], env)
    expect(wouldNotStart).toMatchObject([
      { name: 'sealed', reason: expect.stringContaining('old secret.key') },
    ])
  }
})

test('a restore that is killed at any step leaves the old or the new database intact', async () => {
  const { file } = await used.backup()
  await used.withDaemon(daemon => buildServer(daemon, echoServer('later')))
  let restored = false
  const steps = await killAtEachStep(['restore', file], async () => {
    const found = await used.withDaemon(buildNames)
    restored ||= found.length === 1
    expect(found).toEqual(restored ? ['sealed'] : ['later', 'sealed'])
  })
  expect(steps).toBeGreaterThan(3)
  expect(restored).toBe(true)
  const left = readdirSync(used.home.home).filter(name => /tmp|restoring|swap/.test(name))
  expect(left).toEqual([])
})

test('a backup that is killed at any step leaves earlier backups intact, and the next backup succeeds', async () => {
  const { name } = await used.backup()
  const steps = await killAtEachStep(['backup', 'daily'], async () => {
    for (const one of (await used.backups().list()).items) {
      const unfinished = ['its manifest is missing, so only its database was checked']
      expect((await used.backups().verify(one.name)).problems).toEqual(one.reason ? [] : unfinished)
    }
  })
  expect(steps).toBeGreaterThan(2)
  expect((await used.backups().list()).items.map(one => one.name)).toContain(name)
  expect(await used.backup()).toMatchObject({ files: 3, missing: 0 })
})

test('backs up stores and data folders, and restores them together with the database', async () => {
  const files = join(used.home.state, 'sealed', 'production', 'files')
  mkdirSync(join(files, 'sub'), { recursive: true })
  writeFileSync(join(files, 'sub', 'notes.txt'), 'kept')
  symlinkSync('/etc/hostname', join(files, 'link'))
  const place = '/v1/servers/sealed/store/production'
  const read = async (daemon: TestDaemon) => (await daemon.api('GET', `${place}?key=a`)).body.data.items
  await used.withDaemon(async daemon => {
    const set = [{ key: 'a', value: 'before' }]
    expect((await daemon.api('PATCH', place, { body: { set } })).status).toBe(200)
    await used.backup()
    await daemon.api('PATCH', place, { body: { set: [{ key: 'a', value: 'after' }] } })
  })
  writeFileSync(join(files, 'sub', 'notes.txt'), 'changed')
  await used.tool(['restore'])
  await used.withDaemon(async daemon => expect(await read(daemon)).toMatchObject([{ value: 'before' }]))
  expect(readFileSync(join(files, 'sub', 'notes.txt'), 'utf8')).toBe('kept')
  expect(existsSync(join(files, 'link'))).toBe(false)
  const replaced = readdirSync(used.home.home).find(name => name.startsWith('state.replaced-'))!
  expect(readFileSync(join(used.home.home, replaced, 'sealed/production/files/sub/notes.txt'), 'utf8')).toBe(
    'changed',
  )
})
