import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'

/** Suffixes of a database, its write-ahead log and the index of that log (https://sqlite.org/walformat.html). */
const SUFFIXES = ['', '-wal', '-shm'] as const

interface Swap {
  /** Name of the new database, next to the old one. */
  copy: string
  /** New name of the old database. */
  kept: string
  /** The same names for the folder with the servers' state. Absent when that folder is not replaced. */
  state?: { name: string; copy: string; kept: string }
}

/**
 * Replaces the database with a copy next to it, and the state of servers with a folder next to it. Keeps the old ones. After
 * a crash, the next start keeps the old database and state, or completes the swap with `finishSwap` if the note about it had
 * already been written.
 */
export function swapDatabase(
  database: string,
  copy: string,
  folder?: { state: string; copy: string },
): { kept: string | null } {
  const ending = `.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
  const hadDatabase = existsSync(database)
  const named = `${database}.restoring`
  renameSync(copy, named)
  const state = folder && {
    name: basename(folder.state),
    copy: basename(folder.copy),
    kept: basename(folder.state) + ending,
  }
  const swap: Swap = { copy: basename(named), kept: basename(database) + ending, ...(state && { state }) }
  writeFileAtomic(notePath(database), JSON.stringify(swap))
  finishSwap(database)
  return { kept: hadDatabase ? database + ending : null }
}

/** Completes an interrupted swap. Any of its steps may already be done. The home must be locked. */
export function finishSwap(database: string): void {
  const swap = readNote(database)
  if (!swap) {
    for (const path of [`${database}.restoring`, stagedState(database)])
      rmSync(path, { recursive: true, force: true })
    return
  }
  const inHome = (name: string) => join(dirname(database), name)
  const [copy, kept] = [inHome(swap.copy), inHome(swap.kept)]
  if (existsSync(copy)) {
    for (const suffix of SUFFIXES)
      if (existsSync(database + suffix)) renameSync(database + suffix, kept + suffix)
    renameSync(copy, database)
  }
  const { state } = swap
  if (state && existsSync(inHome(state.copy))) {
    if (existsSync(inHome(state.name))) renameSync(inHome(state.name), inHome(state.kept))
    renameSync(inHome(state.copy), inHome(state.name))
  }
  rmSync(notePath(database), { force: true })
}

/** Folder where the state of a backup is prepared. Removed at the next start if the swap did not begin. */
export function stagedState(database: string): string {
  return `${database}.restoring-state`
}

function notePath(database: string): string {
  return `${database}.swap.json`
}

function readNote(database: string): Swap | undefined {
  return existsSync(notePath(database)) ? JSON.parse(readFileSync(notePath(database), 'utf8')) : undefined
}
