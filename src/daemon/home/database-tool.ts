import { existsSync } from 'node:fs'
import { REPAIRED_CHECKS, type RepairedCheck, runChecks } from '../../shared/check.ts'
import { BACKUP_REASONS, type BackupReason } from '../../shared/contract/daemon/backups.ts'
import { HostingError, toHostingError } from '../../shared/errors.ts'
import { type HomePaths, homePaths } from '../../shared/paths.ts'
import { HomeBackups } from '../backup/home-backups.ts'
import { inspectHome } from '../backup/inspect-home.ts'
import { RemoteBackups } from '../backup/remote-backups.ts'
import { finishSwap } from '../backup/swap-database.ts'
import { openStorage } from '../builder/storage/open-storage.ts'
import { MACHINE_CHECKS } from '../checks/machine-checks.ts'
import { repairHome } from '../checks/repair-home.ts'
import { startFailure } from '../daemon-log.ts'
import { keyCheck } from '../services/access/secret-key.ts'
import { readSecretBox } from '../services/access/secrets.ts'
import { lockBackups, lockHome } from './home-lock.ts'
import { requireDatabase } from './require-database.ts'
import { readBackupStorage } from './storage-settings.ts'

/** Maximum wait for another backup, which takes long for a large home. */
const BACKUP_WAIT_MS = 120_000

/**
 * Tasks on the database and its backups in a separate process, because the command line never opens the database, and the daemon
 * must keep responding. The tasks are `checks [pid of the daemon]`, `repair <check>…`, `backup <reason>`, `list`,
 * `verify [backup]`, and `restore` and `check-restore` with `[backup] [--partial] [--new-secret-key]`. Prints one JSON document,
 * or the error on standard error like the daemon.
 */
async function run(task: string | undefined, args: string[]): Promise<object> {
  const paths = homePaths()
  const [subject] = args.filter(arg => !arg.startsWith('--'))
  const backups = new HomeBackups(paths, async () => {
    const settings = readBackupStorage(process.env)
    return settings && new RemoteBackups(await openStorage(paths.home, settings))
  })
  if (task === 'checks')
    return runChecks(MACHINE_CHECKS, {
      paths,
      env: process.env,
      daemonPid: subject === undefined ? undefined : Number(subject),
      lostDatabase: () => lostDatabase(paths),
      inspect: () => inspectHome(paths, homeKeyCheck(paths)),
      listBackups: () => backups.list(),
    })
  if (task === 'repair') return repairHome(paths, args.map(checkOf))
  if (task === 'list') return backups.list()
  if (task === 'verify') return backups.verify(subject)
  if (task === 'backup')
    return withLock(lockBackups(paths, BACKUP_WAIT_MS), () => backups.make(reasonOf(subject)))
  const options = {
    keyCheck: homeKeyCheck(paths),
    acceptsKey: args.includes('--new-secret-key'),
    isPartial: args.includes('--partial'),
  }
  if (task === 'check-restore') return backups.check(subject, options)
  if (task === 'restore')
    return withLock(lockHome(paths), () => {
      finishSwap(paths.database)
      return backups.restore(subject, options)
    })
  throw new Error(`Unknown task "${task}"`)
}

async function withLock<T>(lock: { release(): void }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function checkOf(text: string): RepairedCheck {
  const check = REPAIRED_CHECKS.find(known => known === text)
  if (check) return check
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is not a check with a repair. Use ${REPAIRED_CHECKS.join(' or ')}.`,
  )
}

function reasonOf(text: string | undefined): BackupReason {
  const reason = BACKUP_REASONS.find(known => known === text)
  if (reason) return reason
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is not a reason for a backup. Use ${BACKUP_REASONS.join(', ')}.`,
  )
}

function lostDatabase(paths: HomePaths): string | undefined {
  try {
    requireDatabase(paths)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Undefined if the key is missing or damaged. */
function homeKeyCheck({ secretKey }: HomePaths): string | undefined {
  try {
    return existsSync(secretKey) ? keyCheck(readSecretBox(secretKey)) : undefined
  } catch {
    return undefined
  }
}

try {
  const [, , task, ...args] = process.argv
  console.log(JSON.stringify(await run(task, args)))
} catch (error) {
  const known = toHostingError(error)
  console.error(JSON.stringify(startFailure(known.code === 'INTERNAL' ? error : known)))
  process.exitCode = 1
}
