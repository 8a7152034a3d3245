import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SourceArchives } from '../../../../src/daemon/builder/archive/source-archives.ts'
import { ArtifactStore } from '../../../../src/daemon/builder/artifact-store.ts'
import { Packages } from '../../../../src/daemon/builder/program/packages.ts'
import { ProgramFolders } from '../../../../src/daemon/builder/program/program-folders.ts'
import { FileStorage } from '../../../../src/daemon/builder/storage/file-storage.ts'
import { LogStore } from '../../../../src/daemon/runtime/logs/log-store.ts'
import { UnknownFiles } from '../../../../src/daemon/services/backups/unknown-files.ts'
import { createClock } from '../../../../src/daemon/services/clock.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import { removeLeftovers } from '../../../../src/daemon/services/serving/leftovers.ts'
import { openStore } from '../../../../src/daemon/store/store.ts'
import type { Build } from '../../../../src/daemon/store/tables/builds.ts'

const DAY_MS = 24 * 3600_000
const UNKNOWN = 'a'.repeat(64)

let folder: string
let deps: ServiceDependencies
let nowMs: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-leftovers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  nowMs = Date.parse('2026-03-01T00:00:00Z')
  deps = openDependencies()
  writeFileSync(join(folder, 'sources', 'upload.tmp'), 'more is to come')
  writeFileSync(join(folder, 'sources', `${UNKNOWN}.zip`), 'zip')
  writeFileSync(join(folder, 'artifacts', `${UNKNOWN}.json`), 'json')
  writeFileSync(join(folder, 'artifacts', `${UNKNOWN}.mjs`), 'mjs')
  for (const path of ['logs/dep_gone', 'programs/gone/production'])
    mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'programs/gone/production/notes.db'), 'notes')
})

/** Dependencies of the daily cleanup, with an empty database. */
function openDependencies(): ServiceDependencies {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const storage = new FileStorage(folder)
  const none = () => []
  mkdirSync(join(folder, 'logs'), { recursive: true })
  return {
    store,
    archives: new SourceArchives(join(folder, 'sources'), storage),
    artifacts: new ArtifactStore(join(folder, 'artifacts'), storage),
    programSources: { list: none, remove: none },
    programs: new ProgramFolders({ directory: join(folder, 'programs'), packages: '', hidden: [] }),
    packages: new Packages(join(folder, 'packages'), AbortSignal.abort()),
    toolchain: { cache: { prune: none }, dependencies: { prune: none } },
    logs: new LogStore(join(folder, 'logs')),
    unknownFiles: new UnknownFiles(
      join(folder, 'unknown-files.json'),
      createClock(() => new Date(nowMs)),
    ),
    background: { report: (error: unknown) => expect.unreachable(String(error)) },
  } as unknown as ServiceDependencies
}

const left = () => ({
  artifacts: readdirSync(join(folder, 'artifacts')).length,
  sources: readdirSync(join(folder, 'sources')).length,
  logs: readdirSync(join(folder, 'logs')).length,
  programs: existsSync(join(folder, 'programs/gone')),
})
const ALL = { artifacts: 2, sources: 2, logs: 1, programs: true }

test('removes unknown files after seven days, even across restarts', async () => {
  for (let day = 0; day < 7; day++, nowMs += DAY_MS) {
    await removeLeftovers(openDependencies())
    expect(left(), `day ${day}`).toEqual(ALL)
  }
  await removeLeftovers(openDependencies())
  expect(left()).toEqual({ artifacts: 0, sources: 1, logs: 0, programs: false })
  expect(readdirSync(join(folder, 'sources'))).toEqual(['upload.tmp'])
})

test('records the size and age of unknown files', async () => {
  await removeLeftovers(deps)
  const { files } = JSON.parse(readFileSync(join(folder, 'unknown-files.json'), 'utf8'))
  const since = '2026-03-01T00:00:00.000Z'
  expect(files).toEqual({
    [`artifacts/${UNKNOWN}`]: { bytes: 7, since, keptMs: 0 },
    [`sources/${UNKNOWN}`]: { bytes: 3, since, keptMs: 0 },
    'programs/gone': { bytes: 5, since, keptMs: 0 },
    'logs/dep_gone': { bytes: 0, since, keptMs: 0 },
  })
})

test('a clock jump or a damaged record does not cause removals', async () => {
  nowMs = 0
  await removeLeftovers(deps)
  for (const time of ['2036-01-01', '2020-01-01', '2046-01-01']) {
    nowMs = Date.parse(time)
    await removeLeftovers(openDependencies())
    expect(left()).toEqual(ALL)
  }
  for (const damaged of ['', '{"lookedAt":5}', '{"lookedAt":"2020-01-01T00:00:00Z"}']) {
    writeFileSync(join(folder, 'unknown-files.json'), damaged)
    await removeLeftovers(openDependencies())
    expect(left()).toEqual(ALL)
  }
})

test('files that are known again are kept, and later get another seven days', async () => {
  for (let day = 0; day < 6; day++, nowMs += DAY_MS) await removeLeftovers(openDependencies())
  const knowing = openDependencies()
  knowing.store.servers.ensure('gone', '2026-03-01T00:00:00.000Z')
  knowing.store.builds.create({
    ...BUILD,
    digest: UNKNOWN,
    sourceDigest: UNKNOWN,
  })
  await removeLeftovers(knowing)
  for (let day = 0; day < 7; day++, nowMs += DAY_MS) await removeLeftovers(openDependencies())
  expect(left()).toMatchObject({ artifacts: 2, sources: 2, programs: true })
})

const BUILD: Build = {
  expiresAt: null,
  digest: null,
  sourceDigest: null,
  id: 'mcp_gone',
  name: 'gone',
  template: 'custom',
  status: 'ready',
  tools: [],
  resources: [],
  prompts: [],
  env: [],
  projectId: null,
  buildMs: 1,
  error: null,
  createdAt: '2026-03-01T00:00:00.000Z',
}
