import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { type BackupReason, KEPT_BACKUPS } from '../../shared/contract/daemon/backups.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { copyDatabase, type DatabaseFacts, readFacts } from './copied-database.ts'
import {
  type BackedUpFile,
  backupName,
  type Manifest,
  readBackups,
  renderManifest,
  type StoredBackup,
} from './manifest.ts'
import { describeFile, ObjectPool } from './object-pool.ts'
import { bundleOf, bundlePath, digestIn, filesReferredIn } from './referred-files.ts'
import { collectState } from './state-files.ts'

/**
 * Backs up the home to its folder `backups`: the database, every artifact and source archive that it refers to, the stores of
 * handlers, the data of programs and the configuration. The daemon may be running. Files are collected before the database is
 * copied, in case they are removed, and again afterwards, in case some were added. New files are read back and compared with
 * their digest. The manifest is written last and makes the backup valid.
 */
export async function makeBackup(paths: HomePaths, reason: BackupReason): Promise<Manifest> {
  const folder = paths.backups
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pool = new ObjectPool(folder)
  const earlier = readBackups(folder)
  const copy = join(folder, `${randomBytes(6).toString('hex')}.tmp`)
  try {
    for (const kind of ['artifacts', 'sources'] as const)
      for (const name of filesIn(paths[kind])) await pool.add(`${kind}/${name}`, join(paths[kind], name))
    await copyDatabase(paths.database, copy)
    chmodSync(copy, 0o600)
    const facts = readFacts(copy)
    const { files, missing } = await collect(paths, pool, facts, earlier[0]?.manifest)
    const state = await collectState(paths, pool)
    const createdAt = new Date().toISOString()
    const { digest, bytes } = (await describeFile(copy, ''))!
    const manifest: Manifest = {
      format: 1,
      name: unusedName(folder, createdAt),
      sequence: Math.max(0, ...earlier.map(one => one.manifest?.sequence ?? 0)) + 1,
      createdAt,
      reason,
      version: VERSION,
      databaseId: facts.databaseId,
      keyCheck: facts.keyCheck,
      database: { digest, bytes },
      files: [...files, ...state.files],
      state: state.state,
      missing: [...missing, ...state.missing],
    }
    renameSync(copy, join(folder, `${manifest.name}.db`))
    writeFileAtomic(join(folder, `${manifest.name}.json`), renderManifest(manifest))
    pruneBackups(folder, pool)
    return manifest
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
  }
}

/** Returns a unique name even if the clock stops or goes backwards. */
function unusedName(folder: string, createdAt: string): string {
  for (let atMs = Date.parse(createdAt); ; atMs++) {
    const name = backupName(new Date(atMs).toISOString())
    if (!existsSync(join(folder, `${name}.db`))) return name
  }
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter(name => /^[0-9a-f]{64}\.(?:json|mjs|tar\.gz|zip)$/.test(name))
}

/** Collects the files of a backup. Files that the previous backup verified are not read again. */
async function collect(
  paths: HomePaths,
  pool: ObjectPool,
  facts: DatabaseFacts,
  earlier: Manifest | undefined,
): Promise<Pick<Manifest, 'files' | 'missing'>> {
  const known = new Map(earlier?.files.map(file => [file.path, file]))
  const files: BackedUpFile[] = []
  const missing: string[] = []
  const add = async (path: string, digest: string) => {
    const file = known.get(path) ?? (await putVerified(pool, { path, digest, from: join(paths.home, path) }))
    if (file && existsSync(pool.path(path))) files.push(file)
    else missing.push(path)
    return file
  }
  for (const path of facts.artifacts) {
    const isKnown = known.has(path)
    const file = await add(path, digestIn(path))
    const bundle = isKnown ? known.get(bundlePath(path))?.digest : file && bundleOf(pool.path(path))
    if (bundle !== undefined) await add(bundlePath(path), bundle)
  }
  for (const path of facts.sources) await add(path, digestIn(path))
  if (existsSync(paths.config)) {
    const config = (await describeFile(paths.config, 'config.json'))!
    const path = `config/${config.digest}.json`
    await pool.replace(path, paths.config)
    files.push({ ...config, path })
  }
  return { files, missing }
}

/** Adds a file and verifies it. Replaces a damaged object with the home's file if that is intact. */
async function putVerified(
  pool: ObjectPool,
  { path, digest, from }: { path: string; digest: string; from: string },
): Promise<BackedUpFile | undefined> {
  if (!(await pool.add(path, from))) return undefined
  const file = await pool.describe(path)
  if (file?.digest === digest) return file
  const home = await describeFile(from, path)
  if (home?.digest !== digest) return undefined
  await pool.replace(path, from)
  return home
}

/**
 * Keeps seven backups of each database and reason, so that backups of a new or empty database do not replace those of another
 * database.
 */
function pruneBackups(folder: string, pool: ObjectPool): void {
  const kept: StoredBackup[] = []
  for (const backup of readBackups(folder)) {
    const isLike = (other: StoredBackup) => groupOf(other.manifest) === groupOf(backup.manifest)
    if (kept.filter(isLike).length < KEPT_BACKUPS) kept.push(backup)
    else
      for (const ending of ['.json', '.db', '.db-wal', '.db-shm'])
        rmSync(join(folder, backup.name + ending), { force: true })
  }
  pool.prune(new Set(kept.flatMap(backup => filesOf(backup, pool)).map(({ path }) => path)))
}

/** Without a manifest, the database says which files may still be needed. */
function filesOf({ file, manifest }: StoredBackup, pool: ObjectPool): { path: string }[] {
  return manifest?.files ?? filesReferredIn(file, path => pool.path(path))
}

export function groupOf(manifest: Pick<Manifest, 'databaseId' | 'reason'> | undefined): string {
  return manifest ? `${manifest.databaseId} ${manifest.reason}` : ''
}
