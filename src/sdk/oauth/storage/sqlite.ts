import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Database, RunResult } from 'better-sqlite3'
import type { OAuthStorage, RecordKind } from './storage.ts'

export interface SqliteStorageOptions {
  /** Path of the database. Created if missing. */
  path: string
  /** Seconds since 1970. */
  now?: () => number
}

export interface SqliteStorage extends OAuthStorage {
  close(): void
}

/** Expired records are deleted once per this number of transactions. */
const TRANSACTIONS_PER_SWEEP = 500

/**
 * Storage in a SQLite file, which several processes may share. Requires the package better-sqlite3. Writes are on disk before a
 * client gets the response.
 */
export function sqliteStorage({ path, now = () => Date.now() / 1000 }: SqliteStorageOptions): SqliteStorage {
  const database = open(path)
  const statements = prepare(database)
  const write = createWriter(database, () => statements.sweep.run(now()))
  return {
    async get<T>(kind: RecordKind, key: string) {
      const row = statements.get.get(kind, key, now())
      return row && (JSON.parse(row.value) as T)
    },
    async put(kind, key, value, expiresAt) {
      const json = JSON.stringify(value)
      await write(() => statements.put.run(kind, key, json, expiresAt ?? null))
    },
    async insert(kind, key, value, expiresAt) {
      const json = JSON.stringify(value)
      const { changes } = await write(() => statements.insert.run(kind, key, json, expiresAt ?? null, now()))
      return changes === 1
    },
    async delete(kind, key) {
      await write(() => statements.delete.run(kind, key))
    },
    async count(kind) {
      return statements.count.get(kind, now())!.count
    },
    close() {
      write.flush()
      database.close()
    },
  }
}

interface QueuedWrite {
  run: () => RunResult
  resolve(result: RunResult): void
  reject(error: unknown): void
}

interface Writer {
  (run: () => RunResult): Promise<RunResult>
  /** Writes the queue immediately. */
  flush(): void
}

/**
 * Combines the writes of one turn of the event loop in one transaction, so that concurrent requests wait for the disk only
 * once.
 */
function createWriter(database: Database, sweep: () => void): Writer {
  let queue: QueuedWrite[] = []
  let transactions = 0
  const flush = () => {
    const batch = queue
    queue = []
    if (batch.length === 0) return
    try {
      transactions += 1
      if (transactions % TRANSACTIONS_PER_SWEEP === 1) sweep()
      const results = database.transaction(() => batch.map(({ run }) => run())).immediate()
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const write = (run: () => RunResult) =>
    new Promise<RunResult>((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ run, resolve, reject })
    })
  return Object.assign(write, { flush })
}

function open(path: string): Database {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => Database
  // Only the owner may read the file. SQLite uses the same mode for its other files.
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600))
  const database = new Sqlite(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('busy_timeout = 5000')
  database.exec(`
    CREATE TABLE IF NOT EXISTS oauth_records (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at REAL,
      PRIMARY KEY (kind, key)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS oauth_records_expiry ON oauth_records (expires_at) WHERE expires_at IS NOT NULL;
  `)
  return database
}

function prepare(database: Database) {
  type Value = string | null
  return {
    get: database.prepare<[string, string, number], { value: string }>(
      'SELECT value FROM oauth_records WHERE kind = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)',
    ),
    put: database.prepare<[string, string, string, number | null]>(
      `INSERT INTO oauth_records (kind, key, value, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
    ),
    // One statement, so that only one of two processes succeeds. Replaces expired records.
    insert: database.prepare<[string, string, Value, number | null, number]>(
      `INSERT INTO oauth_records (kind, key, value, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
       WHERE oauth_records.expires_at <= ?`,
    ),
    delete: database.prepare<[string, string]>('DELETE FROM oauth_records WHERE kind = ? AND key = ?'),
    count: database.prepare<[string, number], { count: number }>(
      'SELECT count(*) AS count FROM oauth_records WHERE kind = ? AND (expires_at IS NULL OR expires_at > ?)',
    ),
    sweep: database.prepare<[number]>('DELETE FROM oauth_records WHERE expires_at <= ?'),
  }
}
