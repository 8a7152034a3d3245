import { readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import {
  KEPT_UNKNOWN_DAYS,
  type UnknownFile,
  type UnknownFilesRecord,
  type UnknownKind,
} from '../../shared/unknown-files.ts'
import type { Clock } from './clock.ts'

const DAY_MS = 24 * 3600_000
const KEPT_MS = KEPT_UNKNOWN_DAYS * DAY_MS

/** Something in the home that the database does not know. */
export interface Unknown {
  kind: UnknownKind
  name: string
  /** Its files or folders. */
  paths: string[]
}

/**
 * Remembers since when the database has not known a file. A database may be new, empty, older or restored, so nothing is
 * removed because it does not know it today. The record is a file of the home: a database that comes back knows
 * nothing of the time in which another one was used.
 */
export class UnknownFiles {
  readonly #path: string
  readonly #clock: Pick<Clock, 'reading'>

  constructor(path: string, clock: Pick<Clock, 'reading'>) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * Takes what is unknown now. What is missing from it is known again, or gone. Returns what has been unknown for seven
   * days. A look counts for one day at most, so that no jump of the clock ends the time early.
   */
  async look(found: readonly Unknown[]): Promise<Unknown[]> {
    const before = this.#read()
    const now = this.#clock.reading()
    const passed = Date.parse(now) - Date.parse(before?.lookedAt ?? now)
    const creditMs = Math.min(Math.max(passed, 0), DAY_MS)
    const files: Record<string, UnknownFile> = {}
    for (const one of found) {
      const known = before?.files[keyOf(one)]
      files[keyOf(one)] = known
        ? { ...known, keptMs: known.keptMs + creditMs }
        : { bytes: await sizeOf(one.paths), since: now, keptMs: 0 }
    }
    if (before || found.length > 0)
      writeFileAtomic(
        this.#path,
        `${JSON.stringify({ lookedAt: now, files } satisfies UnknownFilesRecord)}\n`,
      )
    return found.filter(one => files[keyOf(one)]!.keptMs >= KEPT_MS)
  }

  /** Undefined when there is none, or it is damaged: then the time starts again. */
  #read(): UnknownFilesRecord | undefined {
    try {
      const record = JSON.parse(readFileSync(this.#path, 'utf8')) as UnknownFilesRecord
      return Number.isNaN(Date.parse(record.lookedAt)) || typeof record.files !== 'object'
        ? undefined
        : record
    } catch {
      return undefined
    }
  }
}

function keyOf({ kind, name }: Unknown): string {
  return `${kind}/${name}`
}

/** Bytes of files and of everything in folders. What vanishes in between counts for nothing. */
async function sizeOf(paths: readonly string[]): Promise<number> {
  let bytes = 0
  for (const path of paths) {
    const status = await stat(path).catch(() => undefined)
    if (!status?.isDirectory()) bytes += status?.size ?? 0
    else
      for (const entry of await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
        if (entry.isFile())
          bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
