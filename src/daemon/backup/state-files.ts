import { randomBytes } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import BetterSqlite3 from 'better-sqlite3'
import type { HomePaths } from '../../shared/paths.ts'
import { visitFiles } from '../../shared/unlinked-files.ts'
import { copySqliteFile } from './copied-database.ts'
import type { BackedUpFile, Manifest, StoredBackup } from './manifest.ts'
import { copyAtomically, describeFile, type ObjectPool } from './object-pool.ts'
import { poolOf } from './verify-backup.ts'

type CollectedFiles = Required<Pick<Manifest, 'state' | 'files' | 'missing'>>

/**
 * Adds the stores of handlers and the data folders of programs to a backup. These files change all the time, so each is copied
 * first and stored under the digest of the copy.
 */
export async function collectState({ state: folder }: HomePaths, pool: ObjectPool): Promise<CollectedFiles> {
  const collected: CollectedFiles = { state: {}, files: [], missing: [] }
  for (const path of placesIn(folder)) {
    const store = join(folder, path, 'store.db')
    if (existsSync(store)) await add(collected, pool, `${path}/store.db`, copy => copyStore(store, copy))
    await addFiles(collected, pool, `${path}/files`, join(folder, path, 'files'))
  }
  return collected
}

/**
 * Copies the state of a backup to a new folder and returns the folder. Skips objects that the backup lacks. Undefined for a
 * backup without information about state.
 */
export async function stageState(backup: StoredBackup, folder: string): Promise<string | undefined> {
  const state = backup.manifest?.state
  if (!state) return undefined
  const pool = poolOf(backup)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const [path, digest] of Object.entries(state)) {
    const object = pool.path(objectPath(digest))
    if (!existsSync(object)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    await copyAtomically(object, join(folder, path))
  }
  return folder
}

/** `<server>/<environment>` */
function placesIn(folder: string): string[] {
  return foldersIn(folder).flatMap(server => foldersIn(join(folder, server)).map(slot => `${server}/${slot}`))
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}

async function add(
  { state, files, missing }: CollectedFiles,
  pool: ObjectPool,
  path: string,
  makeCopy: (copy: string) => Promise<void>,
): Promise<void> {
  const copy = pool.path(`state/${randomBytes(6).toString('hex')}.tmp`)
  mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
  try {
    await makeCopy(copy)
    const { digest, bytes } = (await describeFile(copy, path))!
    renameSync(copy, pool.path(objectPath(digest)))
    state[path] = digest
    if (!files.some(file => file.digest === digest)) files.push({ path: objectPath(digest), digest, bytes })
  } catch {
    missing.push(`state/${path}`)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
  }
}

function objectPath(digest: string): BackedUpFile['path'] {
  return `state/${digest}.bin`
}

/** Copies a store that may be in use, and checks the copy. */
async function copyStore(from: string, to: string): Promise<void> {
  await copySqliteFile(from, to)
  const copy = new BetterSqlite3(to, { readonly: true })
  try {
    const [result] = copy.pragma('quick_check(1)') as { quick_check: string }[]
    if (result?.quick_check !== 'ok') throw new Error(`${from} is damaged: ${result?.quick_check}`)
  } finally {
    copy.close()
  }
}

async function addFiles(
  collected: CollectedFiles,
  pool: ObjectPool,
  path: string,
  folder: string,
): Promise<void> {
  await visitFiles(folder, (name, descriptor) =>
    add(collected, pool, `${path}/${name}`, copy =>
      pipeline(
        createReadStream('', { fd: descriptor, autoClose: false, start: 0 }),
        createWriteStream(copy, { mode: 0o600, flush: true }),
      ),
    ),
  )
}
