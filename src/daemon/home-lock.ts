import { chmodSync, mkdirSync } from 'node:fs'
import Database from 'better-sqlite3'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'

/**
 * One daemon per home. The lock is SQLite's own file lock on an otherwise empty database, which the kernel gives back
 * when the process dies however it dies: no stale lock, no pid to guess about (https://sqlite.org/lockingv3.html).
 */
export function lockHome(paths: HomePaths): { release(): void } {
  try {
    mkdirSync(paths.home, { recursive: true, mode: 0o700 })
    const lock = new Database(paths.lock, { timeout: 0 })
    chmodSync(paths.lock, 0o600)
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return { release: () => void lock.close() }
  } catch (cause) {
    throw lockError(paths, cause)
  }
}

function lockError(paths: HomePaths, cause: unknown): HostingError {
  const code = String((cause as { code?: unknown }).code)
  if (code.startsWith('SQLITE_BUSY')) {
    return new HostingError('CONFLICT', `A daemon already runs for the home ${paths.home}.`, {
      cause,
      next: [{ description: 'See it', command: 'mcp daemon status' }],
    })
  }
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code))
    return new HostingError('UNAVAILABLE', `The disk that holds ${paths.home} is full: free some space.`, {
      cause,
    })
  return new HostingError('UNAVAILABLE', `The home ${paths.home} cannot be written (${code}).`, {
    cause,
    details: 'Make it writable, or set MCP_HOME to a folder that is.',
  })
}
