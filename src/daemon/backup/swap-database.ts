import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'

/** SQLite keeps pending changes in files next to the database (https://sqlite.org/walformat.html). */
const SUFFIXES = ['', '-wal', '-shm'] as const

interface Swap {
  /** Name of the new database, next to the old one. */
  copy: string
  /** New name of the old database. */
  kept: string
}

/**
 * Replaces the database with a copy next to it, and keeps the old one with its write-ahead log. After a crash, the next start
 * keeps the old database, or completes the swap with `finishSwap` if the note was already written.
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

/** Completes an interrupted swap. Any of its steps may already be done. The home must be locked. */
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
