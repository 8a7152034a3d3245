import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { toStoreError } from './database-errors.ts'
import { migrate } from './migrate.ts'

const MAX_IDLE_WAL_BYTES = 8 * 1024 * 1024

/**
 * Pages that a connection keeps, SQLite's own default (https://sqlite.org/pragma.html#pragma_cache_size). better-sqlite3's is
 * eight times as much, which a daemon with thousands of servers would fill twice; a page that is read again is in the system's cache.
 */
const CACHE_KB = 2000

/** Named (an object) or by place (an array). */
type Params = object

/** A prepared statement whose errors are sentences. */
export interface Statement<Row> {
  get(params?: Params): Row | undefined
  all(params?: Params): Row[]
  /** Rows changed. */
  run(params?: Params): number
}

/**
 * The daemon's SQLite file: write-ahead log, and every commit on disk before it is acknowledged. Statements are prepared
 * once per text. All errors are HostingErrors where SQLite is at fault.
 */
export class Database {
  readonly path: string
  readonly #connection: BetterSqlite3.Database
  readonly #statements = new Map<string, Statement<unknown>>()
  #relaxed: BetterSqlite3.Database | undefined

  /** `:memory:` for tests of a single store. */
  constructor(path: string) {
    this.path = path
    this.#connection = this.#translate(() => open(path))
  }

  prepare<Row>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql)
    if (known) return known as Statement<Row>
    const statement = this.#statementOf(sql)
    this.#statements.set(sql, statement)
    return statement as Statement<Row>
  }

  /** All or nothing; nested calls join the outer one. */
  transaction<T>(work: () => T): T {
    return this.#translate(() =>
      this.#connection.inTransaction ? work() : this.#connection.transaction(work).immediate(),
    )
  }

  /**
   * A second connection whose commits survive a killed daemon but not a power cut: for counters, which are written with
   * every request and acknowledged to nobody (https://sqlite.org/pragma.html#pragma_synchronous).
   */
  get relaxed(): BetterSqlite3.Database {
    this.#relaxed ??= this.path === ':memory:' ? this.#connection : connect(this.path, 'NORMAL')
    return this.#relaxed
  }

  /** While another daemon has the file: what would be written is an error. */
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
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, this.path)
    }
  }
}

function open(path: string): BetterSqlite3.Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const connection = connect(path, 'FULL')
  try {
    // Environment variables are encrypted, but names, URLs and key hashes are nobody else's business either.
    if (path !== ':memory:') chmodSync(path, 0o600)
    migrate(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function connect(path: string, synchronous: 'FULL' | 'NORMAL'): BetterSqlite3.Database {
  const connection = new BetterSqlite3(path, { timeout: 5000 })
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma(`synchronous = ${synchronous}`)
    connection.pragma(`cache_size = -${CACHE_KB}`)
    connection.pragma('foreign_keys = ON')
    // What one burst made of the write-ahead log is given back (https://sqlite.org/pragma.html#pragma_journal_size_limit).
    connection.pragma(`journal_size_limit = ${MAX_IDLE_WAL_BYTES}`)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
