import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import { KEPT_UNKNOWN_DAYS } from '../../../shared/contract/daemon/unknown-files.ts'
import { sizeOf } from '../backups/file-size.ts'
import type { Clock } from '../clock.ts'

const DAY_MS = 24 * 3600_000

/** Databases and state folders that a restore replaced (backup/swap-database.ts). */
export class ReplacedFiles {
  readonly #directory: string
  readonly #names: Record<'database' | 'state', string>
  readonly #clock: Pick<Clock, 'wallTime'>

  constructor(paths: { database: string; state: string }, clock: Pick<Clock, 'wallTime'>) {
    this.#directory = dirname(paths.database)
    this.#names = { database: basename(paths.database), state: basename(paths.state) }
    this.#clock = clock
  }

  /** Lists items that were replaced at least a week ago. Newer items are kept in case the restore was a mistake. */
  async list(): Promise<UnusedItem[]> {
    const limit = Date.parse(this.#clock.wallTime()) - KEPT_UNKNOWN_DAYS * DAY_MS
    const entries = await readdir(this.#directory)
    const found = entries
      .flatMap(entry => this.#parse(entry) ?? [])
      .filter(({ createdAt }) => Date.parse(createdAt) <= limit)
    return Promise.all(
      found.map(async one => ({
        ...one,
        name: '',
        reason: 'replaced',
        bytes: await sizeOf(this.#files(one)),
      })),
    )
  }

  async remove(item: Pick<UnusedItem, 'id' | 'kind'>): Promise<void> {
    for (const file of this.#files(item)) await rm(file, { recursive: true, force: true })
  }

  /**
   * Parses a name such as `daemon.db.replaced-2026-11-22T10-00-00-000Z`. Files of the write-ahead log are not listed on their
   * own.
   */
  #parse(entry: string): Pick<UnusedItem, 'kind' | 'id' | 'createdAt'> | undefined {
    const [, name, day, time] = /^(.+)\.replaced-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d-\d{3})Z$/.exec(entry) ?? []
    const kind = (['database', 'state'] as const).find(one => this.#names[one] === name)
    if (!kind) return undefined
    const createdAt = `${day}T${time!.replace('-', ':').replace('-', ':').replace('-', '.')}Z`
    return { kind, id: entry, createdAt }
  }

  #files({ id, kind }: Pick<UnusedItem, 'id' | 'kind'>): string[] {
    const suffixes = kind === 'database' ? ['', '-wal', '-shm'] : ['']
    return suffixes.map(suffix => join(this.#directory, id + suffix))
  }
}
