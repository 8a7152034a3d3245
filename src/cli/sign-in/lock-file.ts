import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'

const POLL_MS = 20
/** Longer than renewing a token takes. */
const TIMEOUT_MS = 60_000

/**
 * Runs `work` while holding a lock. Uses SQLite's file lock on an empty database, like the daemon, because the kernel
 * releases it when the process dies. Throws TIMEOUT and UNAVAILABLE.
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
  const deadline = performance.now() + TIMEOUT_MS
  while (!tryAcquire(lock, path)) {
    if (performance.now() > deadline)
      throw new HostingError('TIMEOUT', `Another command holds the lock ${path}.`, {
        next: [{ description: 'Stop the other command and try again' }],
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
    throw new HostingError('UNAVAILABLE', `Could not lock ${path} (${code}).`, { cause })
  }
}
