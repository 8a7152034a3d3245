import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'

/** SQLite keeps what it has not yet put into the file itself next to it (https://sqlite.org/walformat.html). */
const SUFFIXES = ['', '-wal', '-shm'] as const

interface Swap {
  /** Name of the new database, next to the old one. */
  copy: string
  /** Name that the old one gets. */
  kept: string
}

/**
 * Replaces the database by a copy next to it, and keeps the old one with its write-ahead log. A crash before the note is
 * written leaves the old database. After that `finishSwap` completes the work at the next start.
 */
export function swapDatabase(database: string, copy: string): { kept: string | null } {
  const kept = `${database}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
  const hadDatabase = existsSync(database)
  const named = `${database}.restoring`
  renameSync(copy, named)
  writeFileAtomic(
    notePath(database),
    JSON.stringify({ copy: basename(named), kept: basename(kept) } satisfies Swap),
  )
  finishSwap(database)
  return { kept: hadDatabase ? kept : null }
}

/** Completes a swap that a crash interrupted. Each step may have been done. The home must be locked. */
export function finishSwap(database: string): void {
  const swap = readNote(database)
  if (!swap) return rmSync(`${database}.restoring`, { force: true })
  const [copy, kept] = [join(dirname(database), swap.copy), join(dirname(database), swap.kept)]
  if (existsSync(copy)) {
    for (const suffix of SUFFIXES)
      if (existsSync(database + suffix)) renameSync(database + suffix, kept + suffix)
    renameSync(copy, database)
  }
  rmSync(notePath(database), { force: true })
}

function notePath(database: string): string {
  return `${database}.swap.json`
}

function readNote(database: string): Swap | undefined {
  return existsSync(notePath(database)) ? JSON.parse(readFileSync(notePath(database), 'utf8')) : undefined
}
