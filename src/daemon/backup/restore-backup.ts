import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RestoreReport, UnstartableDeployment } from '../../shared/backups.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { makeSingleFile, readDeployed, readFacts } from './copied-database.ts'
import type { BackedUpFile, StoredBackup } from './manifest.ts'
import { copyWhole, describeFile } from './object-pool.ts'
import { swapDatabase } from './swap-database.ts'
import { databaseProblems, isWhole, poolOf } from './verify-backup.ts'

export interface RestoreOptions {
  /** Check value of the home's `secret.key`; undefined when there is none. */
  keyCheck: string | undefined
  /** Accepts a missing or another key. */
  acceptsKey: boolean
  /** Accepts that files are missing or damaged in home and backup. */
  isPartial: boolean
}

/**
 * Verifies all of a backup, then puts its files into the home and replaces the database in one step. Files are only
 * added, so until then the old database serves as before. Throws INVALID_REQUEST, and changes nothing, for a backup that
 * is damaged or was made with another `secret.key`. The home must be locked.
 */
export async function restoreBackup(
  paths: HomePaths,
  backup: StoredBackup,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const copy = `${paths.database}.${randomBytes(6).toString('hex')}.tmp`
  try {
    copyAll(backup.file, copy)
    const { absent, damaged } = await checkRestorable(paths, { ...backup, file: copy }, options, backup)
    if (damaged.length > 0 && !options.isPartial) throw incomplete(backup, damaged)
    makeSingleFile(copy)
    for (const { path } of absent) await putBack(paths, backup, path)
    const wouldNotStart = await findUnstartable(paths, copy, options.keyCheck)
    const { kept } = swapDatabase(paths.database, copy)
    return { kept, files: absent.length, wouldNotStart }
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
  }
}

/** Throws what `restoreBackup` does, without changing anything. */
export async function requireRestorable(
  paths: HomePaths,
  backup: StoredBackup,
  options: RestoreOptions,
): Promise<void> {
  const { damaged } = await checkRestorable(paths, backup, options, backup)
  if (damaged.length > 0 && !options.isPartial) throw incomplete(backup, damaged)
}

/** `absent`: files that the home lacks and the backup has. `damaged`: those that neither has. */
async function checkRestorable(
  paths: HomePaths,
  { file, manifest }: StoredBackup,
  { keyCheck, acceptsKey }: RestoreOptions,
  backup: StoredBackup,
): Promise<{ absent: BackedUpFile[]; damaged: BackedUpFile[] }> {
  const [problem] = await databaseProblems(file, manifest?.database)
  if (problem) throw new HostingError('INVALID_REQUEST', `${backup.file} cannot be restored: ${problem}.`)
  const expected = readFacts(file).keyCheck
  if (expected !== null && expected !== keyCheck && !acceptsKey) throw otherKey(paths, backup, keyCheck)
  const pool = poolOf(backup)
  const absent: BackedUpFile[] = []
  const damaged: BackedUpFile[] = []
  for (const wanted of manifest?.files ?? []) {
    const target = targetOf(paths, wanted.path)
    if (target === undefined || (await isWhole(target, wanted))) continue
    if (await isWhole(pool.path(wanted.path), wanted)) absent.push(wanted)
    else damaged.push(wanted)
  }
  return { absent, damaged }
}

/** Where a file goes. Undefined for a configuration that the home has: it is its user's to change. */
function targetOf(paths: HomePaths, path: string): string | undefined {
  if (!path.startsWith('config/')) return join(paths.home, path)
  return existsSync(paths.config) ? undefined : paths.config
}

async function putBack(paths: HomePaths, backup: StoredBackup, path: string): Promise<void> {
  const target = targetOf(paths, path)
  if (target === undefined) return
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  await copyWhole(poolOf(backup).path(path), target)
  chmodSync(target, 0o600)
}

/** A write-ahead log next to a backup belongs to it, where somebody opened it. */
function copyAll(from: string, to: string): void {
  for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
  chmodSync(to, 0o600)
}

/** Deployments that the restored database is to run and this home cannot. */
async function findUnstartable(
  paths: HomePaths,
  database: string,
  keyCheck: string | undefined,
): Promise<UnstartableDeployment[]> {
  const expected = readFacts(database).keyCheck
  const isOtherKey = expected !== null && expected !== keyCheck
  const found: UnstartableDeployment[] = []
  for (const { deployment_id, name, environment, digest, sealed } of readDeployed(database)) {
    const add = (reason: string) => found.push({ deployment_id, name, environment, reason })
    const artifact = digest && (await describeFile(join(paths.artifacts, `${digest}.json`), ''))
    if (!artifact || artifact.digest !== digest) add('its artifact is missing: build the server again')
    else if (sealed && isOtherKey)
      add('its environment variables need the old secret.key: deploy it again with them')
  }
  return found
}

function incomplete(backup: StoredBackup, damaged: BackedUpFile[]): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `${backup.file} cannot be restored: ${damaged.length} of its files are missing or damaged. Nothing was changed.`,
    {
      details: damaged
        .map(({ path }) => path)
        .slice(0, 20)
        .join('\n'),
      next: [
        { description: 'See the other backups', command: 'mcp daemon backup --list' },
        {
          description: 'Or restore without these files',
          command: `mcp daemon restore ${backup.name} --partial`,
        },
      ],
    },
  )
}

function otherKey(paths: HomePaths, backup: StoredBackup, keyCheck: string | undefined): HostingError {
  const state = keyCheck === undefined ? 'is missing' : 'is another one'
  return new HostingError(
    'INVALID_REQUEST',
    `${backup.file} cannot be restored: the key file ${paths.secretKey} that it was encrypted with ${state}. Nothing was changed.`,
    {
      details: 'A backup does not contain the key. It may also be a backup of another home.',
      next: [
        { description: 'Put the secret.key of that home in place, then restore again' },
        {
          description: 'Or restore without the values that were encrypted with it',
          command: `mcp daemon restore ${backup.name} --new-secret-key`,
        },
      ],
    },
  )
}
