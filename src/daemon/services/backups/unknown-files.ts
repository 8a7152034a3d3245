import { readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import {
  KEPT_UNKNOWN_DAYS,
  type UnknownFile,
  type UnknownFilesRecord,
  type UnknownKind,
} from '../../../shared/contract/daemon/unknown-files.ts'
import type { Clock } from '../clock.ts'
import { sizeOf } from './file-size.ts'

const DAY_MS = 24 * 3600_000
const KEPT_MS = KEPT_UNKNOWN_DAYS * DAY_MS

/** A file or folder in the home that has no record in the database. */
export interface UnknownEntry {
  kind: UnknownKind
  name: string
  paths: string[]
}

/**
 * Records how long files have been unknown to the database. A database may be new, empty, older or restored, so a file is
 * removed only after a while. The record is a file in the home, because a restored database does not know what happened while
 * another database was in use.
 */
export class UnknownFiles {
  readonly #path: string
  readonly #clock: Pick<Clock, 'wallTime'>

  constructor(path: string, clock: Pick<Clock, 'wallTime'>) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * Updates the record with the currently unknown files and returns those that have been unknown for seven
   * days. Each update counts for one day at most, so that a clock jump does not shorten the time.
   */
  async update(found: readonly UnknownEntry[]): Promise<UnknownEntry[]> {
    const before = this.#read()
    const now = this.#clock.wallTime()
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
    return found.filter(one => isExpired(files[keyOf(one)]!))
  }

  /** Files that have been unknown for seven days, as of the last update. */
  expired(found: readonly UnknownEntry[]): (UnknownEntry & UnknownFile)[] {
    const files = this.#read()?.files ?? {}
    return found.flatMap(one => {
      const known = files[keyOf(one)]
      return known && isExpired(known) ? { ...one, ...known } : []
    })
  }

  /** Undefined when the record is missing or damaged. The seven days then start again. */
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

function isExpired({ keptMs }: UnknownFile): boolean {
  return keptMs >= KEPT_MS
}

function keyOf({ kind, name }: UnknownEntry): string {
  return `${kind}/${name}`
}
