import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { toStoreError } from './database-errors.ts'
import { migrate } from './migrate.ts'
import { RecordChanges } from './record-changes.ts'

const MAX_IDLE_WAL_BYTES = 8 * 1024 * 1024

/**
 * Page cache of a connection, SQLite's own default (https://sqlite.org/pragma.html#pragma_cache_size). better-sqlite3's default
 * is eight times as large, and a daemon with thousands of servers would fill it on both connections. The system caches the
 * file anyway.
 */
const CACHE_KB = 2000

/** An object for named parameters, an array for positional ones. */
type Params = object

/** A prepared statement that throws HostingErrors. */
export interface Statement<Row> {
  get(params?: Params): Row | undefined
  all(params?: Params): Row[]
  /** Returns the number of changed rows. */
  run(params?: Params): number
}

/**
 * The daemon's SQLite file. It uses a write-ahead log, and every commit is on disk before it is acknowledged. Statements are
 * prepared once per text. SQLite errors are thrown as HostingErrors.
 */
export class Database {
  readonly path: string
  readonly changes: RecordChanges
  readonly #connection: BetterSqlite3.Database
  readonly #statements = new Map<string, Statement<unknown>>()
  #relaxed: BetterSqlite3.Database | undefined

  /** Tests of a single store use `:memory:`. */
  constructor(path: string) {
    this.path = path
    try {
      this.#connection = open(path)
    } catch (error) {
      throw toStoreError(error, path)
    }
    this.changes = new RecordChanges(this.#connection)
  }

  prepare<Row>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql)
    if (known) return known as Statement<Row>
    const statement = this.#statementOf(sql)
    this.#statements.set(sql, statement)
    return statement as Statement<Row>
  }

  /** Values of a statement's only column. */
  values<T>(sql: string, params?: Params): T[] {
    const rows = this.prepare<Record<string, T>>(sql).all(params)
    return rows.flatMap(row => Object.values(row))
  }

  /** Runs `work` in a transaction. Nested calls join the outer one. */
  transaction<T>(work: () => T): T {
    return this.#translate(() =>
      this.#connection.inTransaction ? work() : this.#connection.transaction(work).immediate(),
    )
  }

  /**
   * A second connection whose commits survive a killed daemon but not a power cut. Used for counters that every request
   * writes (https://sqlite.org/pragma.html#pragma_synchronous).
   */
  get relaxed(): BetterSqlite3.Database {
    this.#relaxed ??= this.path === ':memory:' ? this.#connection : connect(this.path, 'NORMAL')
    return this.#relaxed
  }

  /** While read-only, writes throw, because another daemon owns the file. */
  setReadOnly(isReadOnly: boolean): void {
    for (const connection of [this.#connection, this.relaxed])
      connection.pragma(`query_only = ${isReadOnly ? 'ON' : 'OFF'}`)
  }

  close(): void {
    if (this.#relaxed !== this.#connection) this.#relaxed?.close()
    this.#connection.close()
  }

  #statementOf(sql: string): Statement<unknown> {
    const statement = this.#translate(() => this.#connection.prepare(sql))
    return {
      get: (params = []) => this.#translate(() => statement.get(params)),
      all: (params = []) => this.#translate(() => statement.all(params)),
      run: (params = []) => this.#translate(() => statement.run(params).changes),
    }
  }

  #translate<T>(work: () => T): T {
    const { position } = this.changes
    try {
      return work()
    } catch (error) {
      this.changes.rollBackTo(position)
      throw toStoreError(error, this.path)
    }
  }
}

function open(path: string): BetterSqlite3.Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const connection = connect(path, 'FULL')
  try {
    // Environment variables are encrypted, but names, URLs and key hashes are private too.
    if (path !== ':memory:') chmodSync(path, 0o600)
    migrate(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Opens an SQLite file with the settings that all of the daemon's databases share. */
export function connect(path: string, synchronous: 'FULL' | 'NORMAL'): BetterSqlite3.Database {
  const connection = new BetterSqlite3(path, { timeout: 5000 })
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma(`synchronous = ${synchronous}`)
    connection.pragma(`cache_size = -${CACHE_KB}`)
    connection.pragma('foreign_keys = ON')
    // Shrinks the write-ahead log after a burst (https://sqlite.org/pragma.html#pragma_journal_size_limit).
    connection.pragma(`journal_size_limit = ${MAX_IDLE_WAL_BYTES}`)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
