import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupStatus, HomeInspection } from '../../shared/backups.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { KEPT_UNKNOWN_DAYS, type UnknownFilesRecord } from '../../shared/unknown-files.ts'
import type { CommandContext } from '../command-context.ts'
import { inspectHome } from '../database-tool.ts'
import { formatBytes } from '../format-bytes.ts'
import { type Check, type Finding, fail, pass, warn } from './check.ts'

/** Backups are made daily. */
const OLD_BACKUP_MS = 2 * 24 * 3600_000

/** Compares the files of the home with its database: the key, artifacts, sources and backups. */
export const FILE_CHECKS: readonly Check[] = [{ name: 'files', run: checkFiles }]

type NamedFinding = Finding & { name?: string }

async function checkFiles({ paths, env }: CommandContext): Promise<NamedFinding[]> {
  try {
    const inspection = await inspectHome(env)
    return [
      { name: 'secret key', ...checkKey(paths, inspection) },
      { name: 'files', ...checkMissing(inspection) },
      { name: 'files', ...checkUnknown(paths) },
      { name: 'backups', ...checkBackups(paths, inspection) },
    ]
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    // A damaged database is the matter of its own check.
    return [
      warn(
        `files were not compared with the database: ${error.message}`,
        'Mend the database first',
        'mcp doctor',
      ),
    ]
  }
}

function checkKey({ secretKey }: HomePaths, { key }: HomeInspection): Finding {
  if (key === 'fits')
    return pass(
      existsSync(secretKey) ? `${secretKey} fits the database` : 'none yet; the first start makes it',
    )
  const state = key === 'missing' ? 'is missing' : 'is not the one that the database was encrypted with'
  return fail(
    `${secretKey} ${state}; the daemon does not start`,
    'Put the right file back from your copy. Without it, values encrypted with it are lost',
    'mcp daemon start --new-secret-key',
  )
}

function checkMissing({ missing }: HomeInspection): Finding {
  const artifacts = missing.filter(path => path.startsWith('artifacts/')).length
  if (artifacts > 0)
    return fail(
      `${artifacts} artifacts that the database refers to are missing; their servers do not start`,
      'Restore a backup, or build them again',
      'mcp daemon restore',
    )
  if (missing.length > 0)
    return warn(
      `${missing.length} source archives that the database refers to are missing`,
      'Upload them again before the next build, or restore a backup',
      'mcp daemon restore',
    )
  return pass('every artifact and source that the database refers to is there')
}

function checkUnknown({ unknownFiles }: HomePaths): Finding {
  const found = Object.entries(readJson<UnknownFilesRecord>(unknownFiles)?.files ?? {})
  if (found.length === 0) return pass('none that the database does not know')
  const kinds = Map.groupBy(found, ([key]) => key.slice(0, key.indexOf('/')))
  const counts = [...kinds].map(([kind, all]) => `${all.length} ${kind}`).join(', ')
  const bytes = found.reduce((sum, [, one]) => sum + one.bytes, 0)
  return pass(
    `${found.length} that the database does not know (${counts}; ${formatBytes(bytes)}) are kept for ${KEPT_UNKNOWN_DAYS} days`,
  )
}

function checkBackups(paths: HomePaths, { backup }: HomeInspection): Finding {
  const status = readJson<BackupStatus>(join(paths.backups, 'status.json'))
  const make = ['Make one now', 'mcp daemon backup'] as const
  if (status?.error) return warn(`the last backup failed at ${status.at}: ${status.error}`, ...make)
  if (!backup)
    return isOld(paths.database)
      ? warn('there is none', ...make)
      : pass('none yet; the daemon makes one a day')
  const ageMs = backup.createdAt ? Math.abs(Date.now() - Date.parse(backup.createdAt)) : undefined
  const age = ageMs === undefined ? '' : `, made ${formatDurationMs(ageMs)} ago`
  if (!backup.isOfThisDatabase)
    return warn(`the last one, ${backup.name}, is of another database than the present one`, ...make)
  if (backup.missing > 0)
    return warn(
      `the last one, ${backup.name}${age}, lacks ${backup.missing} files that were missing`,
      ...make,
    )
  if (ageMs !== undefined && ageMs > OLD_BACKUP_MS)
    return warn(`the last one, ${backup.name}, was made ${formatDurationMs(ageMs)} ago`, ...make)
  return pass(`the last one is ${backup.name}${age}, verified when it was written`)
}

function isOld(file: string): boolean {
  const madeMs = statSync(file, { throwIfNoEntry: false })?.birthtimeMs
  return madeMs !== undefined && Date.now() - madeMs > OLD_BACKUP_MS
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined // not there, or damaged: written again at the next look
  }
}
