import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { toStoreError } from '../store/database-errors.ts'

/**
 * Locks a home for one daemon. Uses SQLite's file lock on an empty database, which the kernel releases when the process
 * dies, so that there are no stale locks (https://sqlite.org/lockingv3.html). Throws CONFLICT while another process holds the
 * lock, and UNAVAILABLE when the home is not writable.
 */
export function lockHome(paths: HomePaths): { release(): void } {
  try {
    mkdirSync(paths.home, { recursive: true, mode: 0o700 })
    return lockFile(paths.lock)
  } catch (cause) {
    throw lockError(paths, cause)
  }
}

/** Locks the backups of a home. Waits up to `waitMs` for another backup, and throws CONFLICT if it takes longer. */
export function lockBackups({ backups }: HomePaths, waitMs: number): { release(): void } {
  try {
    mkdirSync(backups, { recursive: true, mode: 0o700 })
    return lockFile(join(backups, 'lock'), waitMs)
  } catch (cause) {
    if (!isBusy(cause)) throw toStoreError(cause, backups)
    throw new HostingError('CONFLICT', 'Another backup of this home is running.', { cause })
  }
}

function lockFile(path: string, waitMs = 0): { release(): void } {
  const lock = new Database(path, { timeout: waitMs })
  chmodSync(path, 0o600)
  lock.pragma('journal_mode = MEMORY')
  lock.exec('BEGIN EXCLUSIVE')
  return { release: () => void lock.close() }
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
}

function lockError(paths: HomePaths, cause: unknown): HostingError {
  const code = String((cause as { code?: unknown }).code)
  if (isBusy(cause)) {
    return new HostingError('CONFLICT', `A daemon is already running for the home ${paths.home}.`, {
      cause,
      next: [{ description: 'Show it', command: 'mcp daemon status' }],
    })
  }
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code))
    return new HostingError('UNAVAILABLE', `The disk that holds ${paths.home} is full. Free some space.`, {
      cause,
    })
  return new HostingError('UNAVAILABLE', `The home ${paths.home} cannot be written (${code}).`, {
    cause,
    details: 'Make it writable, or set MCP_HOME to a folder that is.',
  })
}
