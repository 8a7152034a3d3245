import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupRecord } from '../../shared/daemon-health.ts'
import type { Database } from '../store/database.ts'
import type { Clock } from './clock.ts'

const KEPT = 10

/** Copies of the database, made while it is used. */
export class Backups {
  readonly #database: Database
  readonly #directory: string
  readonly #clock: Clock

  constructor(database: Database, directory: string, clock: Clock) {
    this.#database = database
    this.#directory = directory
    this.#clock = clock
  }

  /** The copy appears under its name when it is whole; the oldest beyond ten go. */
  async create(): Promise<BackupRecord> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const createdAt = this.#clock.now()
    const file = join(this.#directory, `daemon-${createdAt.replace(/[:.]/g, '-')}.db`)
    const temporary = `${file}.tmp`
    try {
      await this.#database.backup(temporary)
      renameSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
    this.#prune()
    return { file, bytes: statSync(file).size, createdAt }
  }

  #prune(): void {
    const names = readdirSync(this.#directory).filter(name => /^daemon-.*\.db$/.test(name))
    // Who looked into a copy left two files beside it.
    const old = names
      .sort()
      .slice(0, -KEPT)
      .flatMap(name => [name, `${name}-wal`, `${name}-shm`])
    for (const name of old) rmSync(join(this.#directory, name), { force: true })
  }
}
