import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkDatabase } from '../store/check-database.ts'
import { type BackedUpFile, hasDamagedManifest, type StoredBackup } from './manifest.ts'
import { describeFile, ObjectPool } from './object-pool.ts'

/** Reads the whole backup and returns a sentence about each problem. */
export async function verifyBackup(backup: StoredBackup): Promise<string[]> {
  const { file, manifest } = backup
  const database = laterChange(backup) ?? (await databaseProblems(file, manifest?.database))
  const pool = new ObjectPool(dirname(file))
  const damaged: string[] = []
  for (const wanted of manifest?.files ?? [])
    if (!(await isWhole(pool.path(wanted.path), wanted))) damaged.push(`${wanted.path} is missing or damaged`)
  const withoutManifest = manifest
    ? []
    : [`its manifest ${manifestState(backup)}, so only its database was checked`]
  return [...database, ...withoutManifest, ...damaged]
}

/** Describes why a backup has no usable manifest. */
export function manifestState(backup: StoredBackup): string {
  return hasDamagedManifest(backup) ? 'is damaged' : 'is missing'
}

/**
 * Reports a write-ahead log next to a backup with a manifest. SQLite would apply the log, which the digest of the database
 * does not cover (https://sqlite.org/walformat.html).
 */
export function laterChange({ file, manifest }: StoredBackup): string[] | undefined {
  const log = `${file}-wal`
  return manifest && existsSync(log) ? [`it was changed after it was made. Remove ${log}`] : undefined
}

export async function databaseProblems(
  file: string,
  expected: { digest: string } | undefined,
): Promise<string[]> {
  if (!existsSync(file)) return [`there is no file ${file}`]
  const { problems } = checkDatabase(file)
  if (problems.length > 0 || !expected) return problems
  const found = await describeFile(file, '')
  return found?.digest === expected.digest ? [] : ['its database was changed']
}

/** True if the file has this digest and, if given, this size. */
export async function isWhole(
  path: string,
  { digest, bytes }: Pick<BackedUpFile, 'digest'> & Partial<BackedUpFile>,
): Promise<boolean> {
  const found = await describeFile(path, path)
  return found?.digest === digest && (bytes === undefined || found.bytes === bytes)
}

/** Pool with the objects of a backup. */
export function poolOf({ file }: StoredBackup): ObjectPool {
  return new ObjectPool(join(dirname(file)))
}
