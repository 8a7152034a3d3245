import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkDatabase } from '../store/check-database.ts'
import type { BackedUpFile, StoredBackup } from './manifest.ts'
import { describeFile, ObjectPool } from './object-pool.ts'

/** Sentences about everything that is wrong with a backup; empty for a sound one. Reads all of it. */
export async function verifyBackup({ file, manifest }: StoredBackup): Promise<string[]> {
  const database = await databaseProblems(file, manifest?.database)
  const pool = new ObjectPool(dirname(file))
  const damaged: string[] = []
  for (const wanted of manifest?.files ?? [])
    if (!(await isWhole(pool.path(wanted.path), wanted))) damaged.push(`${wanted.path} is missing or damaged`)
  const isDamagedManifest = manifest === undefined && existsSync(file.replace(/\.db$/, '.json'))
  return [...database, ...(isDamagedManifest ? ['its manifest is damaged'] : []), ...damaged]
}

export async function databaseProblems(
  file: string,
  expected: { digest: string } | undefined,
): Promise<string[]> {
  if (!existsSync(file)) return [`there is no file ${file}`]
  const { problems } = checkDatabase(file)
  if (problems.length > 0 || !expected) return problems
  const found = await describeFile(file, '')
  return found?.digest === expected.digest ? [] : ['its database is not the one that was written']
}

export async function isWhole(path: string, { digest, bytes }: BackedUpFile): Promise<boolean> {
  const found = await describeFile(path, path)
  return found?.digest === digest && found.bytes === bytes
}

/** Folder with the objects of a backup. */
export function poolOf({ file }: StoredBackup): ObjectPool {
  return new ObjectPool(join(dirname(file)))
}
