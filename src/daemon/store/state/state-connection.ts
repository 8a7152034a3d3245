import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { connect } from '../database.ts'
import { toStoreError } from '../database-errors.ts'

type Statement<Row> = BetterSqlite3.Statement<[object], Row>

const SCHEMA = `
CREATE TABLE entries (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  version INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (scope, key)
);
CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE usage (version INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO usage VALUES (0, 0, 0);
PRAGMA user_version = 1;`

/** The SQLite file of one store, which several processes may open. A commit returns once it is on disk. */
export class StateConnection {
  readonly #path: string
  readonly #connection: BetterSqlite3.Database
  readonly #statements = new Map<string, Statement<unknown>>()

  /** Creates a missing file. Throws UNAVAILABLE for a damaged or unwritable one. */
  constructor(path: string) {
    this.#path = path
    this.#connection = this.translate(() => open(path))
  }

  prepare<Row>(sql: string): Statement<Row> {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare<[object], unknown>(sql)
    this.#statements.set(sql, statement)
    return statement as Statement<Row>
  }

  /** Reads from a snapshot of the store and does not wait for writers. */
  readTransaction<T>(work: () => T): T {
    return this.#connection.transaction(work)()
  }

  /** Excludes other writers. A nested transaction is rolled back alone when `work` throws. */
  writeTransaction<T>(work: () => T): T {
    return this.#connection.transaction(work).immediate()
  }

  /** Converts SQLite errors to HostingErrors. */
  translate<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, this.#path)
    }
  }

  close(): void {
    this.#connection.close()
  }
}

function open(path: string): BetterSqlite3.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const connection = connect(path, 'FULL')
  try {
    chmodSync(path, 0o600)
    connection
      .transaction(() => {
        if (connection.pragma('user_version', { simple: true }) === 0) connection.exec(SCHEMA)
      })
      .immediate()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
