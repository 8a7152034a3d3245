import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'
import { lockHome } from './home-lock.ts'
import { checkDatabase } from './store/check-database.ts'

/** SQLite keeps what it has not yet put into the file itself beside it (https://sqlite.org/walformat.html). */
const BESIDE = ['-wal', '-shm'] as const

/**
 * Puts a backup in the place of the database, which is kept under another name; gives that name. Nothing is changed when the
 * backup is not sound (INVALID_REQUEST) or a daemon has the home (CONFLICT).
 */
export function restoreDatabase(paths: HomePaths, from: string): { kept: string | null } {
  const lock = lockHome(paths)
  const copy = `${paths.database}.${randomBytes(6).toString('hex')}.tmp`
  try {
    copyAll(from, copy)
    requireSound(copy, from)
    const kept = setAside(paths.database)
    renameSync(copy, paths.database)
    return { kept }
  } finally {
    for (const suffix of ['', ...BESIDE]) rmSync(copy + suffix, { force: true })
    lock.release()
  }
}

/** What lies beside a backup belongs to it where somebody opened it. */
function copyAll(from: string, to: string): void {
  for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
  chmodSync(to, 0o600)
}

function requireSound(copy: string, from: string): void {
  const { problems } = checkDatabase(copy)
  if (problems.length > 0)
    throw new HostingError('INVALID_REQUEST', `${from} cannot be restored: ${problems[0]}.`)
  new BetterSqlite3(copy).close() // puts what lies beside it into it
  const descriptor = openSync(copy, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * With the write-ahead log, which may hold what was acknowledged last. The database itself keeps its name, too, until the
 * copy takes it: a daemon that found none would begin anew, and remove all files that it then knows nothing of.
 */
function setAside(database: string): string | null {
  if (!existsSync(database)) return null
  const kept = `${database}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
  try {
    linkSync(database, kept)
  } catch {
    renameSync(database, kept) // a file has one name in file systems such as exFAT
  }
  for (const suffix of BESIDE) if (existsSync(database + suffix)) renameSync(database + suffix, kept + suffix)
  return kept
}
