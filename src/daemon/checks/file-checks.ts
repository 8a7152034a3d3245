import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, type Finding, fail, pass, warn } from '../../shared/check.ts'
import type { BackupStatus, HomeInspection } from '../../shared/contract/daemon/backups.ts'
import { KEPT_UNKNOWN_DAYS, type UnknownFilesRecord } from '../../shared/contract/daemon/unknown-files.ts'
import { counted } from '../../shared/counted.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { formatBytes } from '../../shared/format/metric-format.ts'
import type { HomePaths } from '../../shared/paths.ts'
import type { MachineContext } from './machine-context.ts'

/** Age at which a backup is out of date. Backups are made daily. */
const OLD_BACKUP_MS = 2 * 24 * 3600_000

/** Compares the files of the home with its database: key, artifacts, sources and backups. */
export const FILE_CHECKS: readonly Check<MachineContext>[] = [{ name: 'files', run: checkFiles }]

function checkFiles({ paths, inspect }: MachineContext): (Finding & { name?: string })[] {
  try {
    const inspection = inspect()
    return [
      { name: 'secret key', ...checkKey(paths, inspection) },
      { name: 'files', ...checkMissing(inspection) },
      { name: 'files', ...checkUnknown(paths) },
      { name: 'backups', ...checkBackups(paths, inspection) },
    ]
  } catch (error) {
    // checkDatabaseFile reports a damaged database.
    return [
      warn(
        `Could not compare files with the database: ${(error as Error).message}`,
        'Repair the database first, as described under "database"',
      ),
    ]
  }
}

function checkKey({ secretKey }: HomePaths, { key }: HomeInspection): Finding {
  if (key === 'fits')
    return pass(
      existsSync(secretKey) ? `${secretKey} matches the database` : 'none yet (created by the first start)',
    )
  const state = key === 'missing' ? 'is missing' : 'does not match the database'
  return fail(
    `${secretKey} ${state}. The daemon cannot start`,
    'Stop the daemon and restore the file from your copy. Without a copy, encrypted values are lost',
    'mcp daemon start --new-secret-key',
  )
}

function checkMissing({ missing }: HomeInspection): Finding {
  const artifacts = missing.filter(path => path.startsWith('artifacts/')).length
  if (artifacts > 0)
    return fail(
      `Missing artifacts: ${artifacts}. Their servers cannot start`,
      'Restore a backup, or rebuild the servers',
      'mcp daemon restore',
    )
  if (missing.length > 0)
    return warn(
      `Missing source archives: ${missing.length}`,
      'Upload them again before the next build, or restore a backup',
      'mcp daemon restore',
    )
  return pass('no artifacts or sources are missing')
}

function checkUnknown({ unknownFiles }: HomePaths): Finding {
  const found = Object.entries(readJson<UnknownFilesRecord>(unknownFiles)?.files ?? {})
  if (found.length === 0) return pass('no unknown files')
  const kinds = Map.groupBy(found, ([key]) => key.slice(0, key.indexOf('/')))
  const counts = [...kinds].map(([kind, all]) => `${kind}: ${all.length}`).join(', ')
  const bytes = found.reduce((sum, [, one]) => sum + one.bytes, 0)
  return pass(
    `unknown files: ${found.length} (${counts}; ${formatBytes(bytes)}), kept for ${KEPT_UNKNOWN_DAYS} days`,
  )
}

function checkBackups(paths: HomePaths, { backup }: HomeInspection): Finding {
  const status = readJson<BackupStatus>(join(paths.backups, 'status.json'))
  const make = ['Create one now', 'mcp daemon backup'] as const
  if (status?.error) return warn(`the last backup failed at ${status.at}: ${status.error}`, ...make)
  if (!backup) return isOld(paths.database) ? warn('no backup', ...make) : pass('none yet (created daily)')
  const ageMs = backup.createdAt ? Math.abs(Date.now() - Date.parse(backup.createdAt)) : undefined
  const age = ageMs === undefined ? '' : `, made ${formatDurationMs(ageMs)} ago`
  if (!backup.hasManifest) return warn(`the last backup ${backup.name} has no valid manifest`, ...make)
  if (!backup.isOfThisDatabase)
    return warn(`the last backup ${backup.name} belongs to another database`, ...make)
  if (backup.missing > 0)
    return warn(`the last backup ${backup.name}${age} lacks ${counted(backup.missing, 'file')}`, ...make)
  if (ageMs !== undefined && ageMs > OLD_BACKUP_MS)
    return warn(`the last backup ${backup.name} is ${formatDurationMs(ageMs)} old`, ...make)
  return pass(`the last backup is ${backup.name}${age}, verified after writing`)
}

function isOld(file: string): boolean {
  const createdMs = statSync(file, { throwIfNoEntry: false })?.birthtimeMs
  return createdMs !== undefined && Date.now() - createdMs > OLD_BACKUP_MS
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined // missing or damaged, written again by the daemon
  }
}
