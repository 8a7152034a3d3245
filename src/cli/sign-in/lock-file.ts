import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'

const POLL_MS = 20
/** Longer than whoever holds it may take to renew a token. */
const PATIENCE_MS = 60_000

/**
 * Runs `work` while no other command that asks for the same lock runs its own. SQLite's file lock on an empty database, as the
 * daemon's: the kernel gives it back when the process dies, so none is ever left behind. Throws TIMEOUT and UNAVAILABLE.
 */
export async function withLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { default: Database } = await import('better-sqlite3')
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
  const lock = new Database(path, { timeout: 0 })
  try {
    await acquire(lock, path, signal)
    return await work()
  } finally {
    lock.close()
  }
}

async function acquire(
  lock: { exec(sql: string): unknown },
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!tryAcquire(lock, path)) {
    if (performance.now() > deadline)
      throw new HostingError('TIMEOUT', `Another command keeps ${path} locked.`, {
        next: [{ description: 'End it, then try again' }],
      })
    await sleep(POLL_MS, undefined, { signal })
  }
}

function tryAcquire(lock: { exec(sql: string): unknown }, path: string): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (cause) {
    const code = String((cause as { code?: unknown }).code)
    if (code.startsWith('SQLITE_BUSY')) return false
    throw new HostingError('UNAVAILABLE', `${path} cannot be locked (${code}).`, { cause })
  }
}
