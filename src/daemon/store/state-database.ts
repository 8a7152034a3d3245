import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import {
  type Commit,
  incremented,
  MAX_PAGE_BYTES,
  MAX_STORE_BYTES,
  notANumber,
  type StateCheck,
  type StateError,
  type StateOperation,
  type StateRange,
  type StateResult,
  type StateScope,
  type StateWrite,
  storeFull,
} from '../../shared/instances/state-operations.ts'
import { connect } from './database.ts'
import { toStoreError } from './database-errors.ts'
import { endOfPrefix } from './key-range.ts'

/** Operations of one instance, and the time at which they happen in Unix milliseconds. */
export interface StateBatch {
  operations: readonly StateOperation[]
  nowMs: number
}

export interface StateUsage {
  entries: number
  bytes: number
}

/** An entry with its expiry in Unix milliseconds. */
export interface StateRow {
  scope: StateScope
  key: string
  /** JSON. */
  value: string
  expiresAt: number | null
}

/** Selects rows of all scopes or of one, in the order of scope and key. */
export interface StateQuery {
  scope?: StateScope | undefined
  key?: string | undefined
  prefix?: string | undefined
  /** Only rows after this one. */
  after?: Pick<StateRow, 'scope' | 'key'> | undefined
  limit: number
}

interface Known {
  value: string
  bytes: number
  expires_at: number | null
}

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

const LIVE = '(expires_at IS NULL OR expires_at > @now)'
/** Results of one batch end with the first that exceeds this size. */
const MAX_RESULT_BYTES = 1024 * 1024
/** Expired entries removed by each commit. */
const SWEPT = 100

/** Rolls back one commit. */
class Refused extends Error {
  readonly result: StateResult

  constructor(result: StateResult) {
    super('refused')
    this.result = result
  }
}

/** The entries of one store, in one SQLite file that several processes may open. Every commit is on disk before it returns. */
export class StateDatabase {
  readonly #path: string
  readonly #connection: BetterSqlite3.Database
  readonly #statements = new Map<string, BetterSqlite3.Statement<[object], unknown>>()
  readonly #maxBytes: number
  /** Bytes that the present commit added. */
  #growth = 0

  /** Throws UNAVAILABLE for a damaged or unwritable file. */
  constructor(path: string, maxBytes = MAX_STORE_BYTES) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#connection = this.#translate(() => open(path))
  }

  /** Runs all batches in one transaction. Returns fewer results than operations when they get large. */
  run(batches: readonly StateBatch[]): StateResult[][] {
    const writes = batches.some(({ operations }) => operations.some(({ op }) => op === 'commit'))
    const runAll = this.#connection.transaction(() => batches.map(batch => this.#runBatch(batch)))
    return this.#translate(() => (writes ? runAll.immediate() : runAll()))
  }

  usage(nowMs: number): StateUsage {
    return this.#translate(() => {
      this.#connection.transaction(() => this.#sweep(nowMs, Number.MAX_SAFE_INTEGER)).immediate()
      return this.#usage()
    })
  }

  rows({ scope, key, prefix = '', after, limit }: StateQuery, nowMs: number): StateRow[] {
    const end = endOfPrefix(prefix)
    const sql = `SELECT scope, key, value, expires_at AS expiresAt FROM entries WHERE ${LIVE} AND key >= @prefix
      ${end === undefined ? '' : 'AND key < @end'} ${scope === undefined ? '' : 'AND scope = @scope'} ${key === undefined ? '' : 'AND key = @key'}
      ${after ? 'AND (scope, key) > (@afterScope, @afterKey)' : ''} ORDER BY scope, key LIMIT @limit`
    const given = {
      now: nowMs,
      prefix,
      end,
      scope,
      key,
      afterScope: after?.scope,
      afterKey: after?.key,
      limit,
    }
    return this.#translate(() => this.#prepare<StateRow>(sql).all(given))
  }

  /** Sets and removes entries, all or none. `removed`: how many of them there were. */
  change(
    rows: readonly StateRow[],
    removed: readonly Pick<StateRow, 'scope' | 'key'>[],
    nowMs: number,
  ): { removed: number } | { error: StateError } {
    let count = 0
    const work = () => {
      const version = this.#begin(nowMs)
      for (const row of rows) this.#put(row, version)
      count = removed.filter(({ scope, key }) => this.#remove(scope, key)).length
      this.#requireRoom(nowMs)
    }
    const refused = this.#translate(() => this.#attempt(work)) as { error: StateError } | undefined
    return refused ?? { removed: count }
  }

  close(): void {
    this.#connection.close()
  }

  #runBatch({ operations, nowMs }: StateBatch): StateResult[] {
    const results: StateResult[] = []
    let size = 0
    for (const operation of operations) {
      const result = this.#runOne(operation, nowMs)
      results.push(result)
      size += sizeOf(result)
      if (size > MAX_RESULT_BYTES) break
    }
    return results
  }

  #runOne(operation: StateOperation, now: number): StateResult {
    if (operation.op === 'list') return this.#list(operation, now)
    if (operation.op === 'commit') return this.#commit(operation, now)
    const { scope, key } = operation
    const sql = `SELECT value, version FROM entries WHERE scope = @scope AND key = @key AND ${LIVE}`
    const row = this.#prepare<{ value: string; version: number }>(sql).get({ scope, key, now })
    return { value: row?.value ?? null, version: row?.version ?? 0 }
  }

  #list(
    { scope, prefix, after, limit, reverse, isTracked }: Extract<StateOperation, { op: 'list' }>,
    now: number,
  ): StateResult {
    const end = endOfPrefix(prefix)
    const sql = `SELECT key, value, bytes FROM entries WHERE scope = @scope AND ${LIVE} AND key >= @prefix
      ${end === undefined ? '' : 'AND key < @end'}
      ${after === undefined ? '' : `AND key ${reverse ? '<' : '>'} @after`}
      ORDER BY key ${reverse ? 'DESC' : ''} LIMIT @limit`
    const given = { scope, now, prefix, end, after, limit: limit + 1 }
    const entries: [string, string][] = []
    let isWhole = true
    let size = 0
    for (const row of this.#prepare<Known & { key: string }>(sql).iterate(given)) {
      isWhole = entries.length < limit && size <= MAX_PAGE_BYTES
      if (!isWhole) break
      entries.push([row.key, row.value])
      size += row.bytes
    }
    return { entries, isWhole, ...(isTracked && { range: this.#range(scope, prefix, now) }) }
  }

  #commit(commit: Commit, now: number): StateResult {
    const { scope, checks = [], writes } = commit
    if (!checks.every(check => this.#holds(scope, check, now))) return { isConflict: true }
    if (writes.length === 0) return { results: [] }
    let results: (number | boolean | null)[] = []
    const work = () => {
      const version = this.#begin(now)
      results = writes.map(write => this.#write(scope, write, { version, now }))
      this.#requireRoom(now)
    }
    return this.#attempt(work) ?? { results }
  }

  /** Runs `work` in a transaction of its own, or a part of the present one. Returns the reason why it was refused. */
  #attempt(work: () => void): StateResult | undefined {
    try {
      this.#connection.transaction(work).immediate()
      return undefined
    } catch (error) {
      if (error instanceof Refused) return error.result
      throw error
    }
  }

  #write(scope: StateScope, write: StateWrite, { version, now }: { version: number; now: number }) {
    const { key } = write
    const known = this.#known(scope, key)
    const live = known && (known.expires_at === null || known.expires_at > now) ? known : undefined
    if ('isDeleted' in write) {
      this.#remove(scope, key)
      return live !== undefined
    }
    const expiry = write.ttlMs === undefined ? null : now + write.ttlMs
    if (!('by' in write)) {
      this.#put({ scope, key, value: write.value, expiresAt: expiry }, version)
      return null
    }
    const value = incremented(live?.value, write.by)
    if (value === undefined) throw new Refused(notANumber(key))
    this.#put({ scope, key, value, expiresAt: live ? live.expires_at : expiry }, version)
    return Number(value)
  }

  #put({ scope, key, value, expiresAt }: StateRow, version: number): void {
    const known = this.#known(scope, key)
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
    this.#prepare(`INSERT INTO entries (scope, key, value, bytes, version, expires_at)
      VALUES (@scope, @key, @value, @bytes, @version, @expiresAt)
      ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes,
        version = excluded.version, expires_at = excluded.expires_at`).run({
      scope,
      key,
      value,
      bytes,
      version,
      expiresAt,
    })
    this.#count(known ? 0 : 1, bytes - (known?.bytes ?? 0))
  }

  #remove(scope: StateScope, key: string): boolean {
    const known = this.#known(scope, key)
    if (!known) return false
    this.#prepare('DELETE FROM entries WHERE scope = @scope AND key = @key').run({ scope, key })
    this.#count(-1, -known.bytes)
    return true
  }

  /** Includes expired entries. */
  #known(scope: StateScope, key: string): Known | undefined {
    const sql = 'SELECT value, bytes, expires_at FROM entries WHERE scope = @scope AND key = @key'
    return this.#prepare<Known>(sql).get({ scope, key })
  }

  #holds(scope: StateScope, check: StateCheck, now: number): boolean {
    if ('key' in check) {
      const sql = `SELECT version FROM entries WHERE scope = @scope AND key = @key AND ${LIVE}`
      const row = this.#prepare<{ version: number }>(sql).get({ scope, key: check.key, now })
      return (row?.version ?? 0) === check.version
    }
    const { count, version } = this.#range(scope, check.prefix, now)
    return count === check.count && version === check.version
  }

  #range(scope: StateScope, prefix: string, now: number): StateRange {
    const end = endOfPrefix(prefix)
    const sql = `SELECT count(*) AS count, coalesce(max(version), 0) AS version FROM entries
      WHERE scope = @scope AND ${LIVE} AND key >= @prefix ${end === undefined ? '' : 'AND key < @end'}`
    return this.#prepare<StateRange>(sql).get({ scope, now, prefix, end })!
  }

  /** Throws Refused when the store is too large even without expired entries. */
  #requireRoom(now: number): void {
    if (this.#growth <= 0 || this.#usage().bytes <= this.#maxBytes) return
    this.#sweep(now, Number.MAX_SAFE_INTEGER)
    if (this.#usage().bytes > this.#maxBytes) throw new Refused(storeFull(this.#maxBytes))
  }

  /** Removes up to `limit` expired entries. */
  #sweep(now: number, limit: number): void {
    const expired = this.#prepare<{ scope: StateScope; key: string }>(
      'SELECT scope, key FROM entries WHERE expires_at <= @now LIMIT @limit',
    ).all({ now, limit })
    for (const { scope, key } of expired) this.#remove(scope, key)
  }

  #usage(): StateUsage {
    return this.#prepare<StateUsage>('SELECT entries, bytes FROM usage').get({})!
  }

  /** Starts a commit and returns its version. */
  #begin(now: number): number {
    this.#sweep(now, SWEPT)
    this.#growth = 0
    const sql = 'UPDATE usage SET version = version + 1 RETURNING version'
    return this.#prepare<{ version: number }>(sql).get({})!.version
  }

  #count(entries: number, bytes: number): void {
    const sql = 'UPDATE usage SET entries = entries + @entries, bytes = bytes + @bytes'
    this.#prepare(sql).run({ entries, bytes })
    this.#growth += bytes
  }

  #prepare<Row>(sql: string): BetterSqlite3.Statement<[object], Row> {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare<[object], unknown>(sql)
    this.#statements.set(sql, statement)
    return statement as BetterSqlite3.Statement<[object], Row>
  }

  #translate<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, this.#path)
    }
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

function sizeOf(result: StateResult): number {
  if ('value' in result) return result.value?.length ?? 0
  if (!('entries' in result)) return 0
  return result.entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
}
