import {
  incrementText,
  notANumber,
  type StateResult,
  type StateScope,
  type StateWrite,
  storeFull,
} from '../../../shared/instances/state-operations.ts'
import type { StateConnection } from './state-connection.ts'
import type { StateRow } from './state-reads.ts'

export interface StateUsage {
  entries: number
  bytes: number
}

interface EntryRow {
  value: string
  bytes: number
  expires_at: number | null
}

/** Maximum number of expired entries that each commit removes when it starts. */
const SWEPT_PER_COMMIT = 100

/** Thrown to roll back one commit. */
class CommitRefusedError extends Error {
  readonly result: StateResult

  constructor(result: StateResult) {
    super('refused')
    this.result = result
  }
}

/** Writes entries and tracks their number and total size. Times are in Unix milliseconds. */
export class StateWrites {
  readonly #connection: StateConnection
  readonly #maxBytes: number
  /** Bytes that the current commit added. */
  #growth = 0

  constructor(connection: StateConnection, maxBytes: number) {
    this.#connection = connection
    this.#maxBytes = maxBytes
  }

  /**
   * Runs `work` with the version of its writes, in a new transaction or as part of the current one. Returns why the commit was
   * refused and rolled back, for example because the store is full. Undefined when the commit succeeded.
   */
  commit(work: (version: number) => void, now: number): StateResult | undefined {
    try {
      this.#connection.writeTransaction(() => {
        work(this.#begin(now))
        this.#requireRoom(now)
      })
      return undefined
    } catch (error) {
      if (error instanceof CommitRefusedError) return error.result
      throw error
    }
  }

  /** Only within `commit`. Returns what the handler gets: the sum, whether a deleted key existed, or null. */
  write(scope: StateScope, write: StateWrite, { version, now }: { version: number; now: number }) {
    const { key } = write
    const known = this.#entry(scope, key)
    const live = known && (known.expires_at === null || known.expires_at > now) ? known : undefined
    if ('isDeleted' in write) {
      this.remove(scope, key)
      return live !== undefined
    }
    const expiry = write.ttlMs === undefined ? null : now + write.ttlMs
    if (!('by' in write)) {
      this.put({ scope, key, value: write.value, expiresAt: expiry }, version)
      return null
    }
    const value = incrementText(live?.value, write.by)
    if (value === undefined) throw new CommitRefusedError(notANumber(key))
    this.put({ scope, key, value, expiresAt: live ? live.expires_at : expiry }, version)
    return Number(value)
  }

  /** Only within `commit`. */
  put({ scope, key, value, expiresAt }: StateRow, version: number): void {
    const known = this.#entry(scope, key)
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
    const sql = `INSERT INTO entries (scope, key, value, bytes, version, expires_at)
      VALUES (@scope, @key, @value, @bytes, @version, @expiresAt)
      ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes,
        version = excluded.version, expires_at = excluded.expires_at`
    this.#connection.prepare(sql).run({ scope, key, value, bytes, version, expiresAt })
    this.#count(known ? 0 : 1, bytes - (known?.bytes ?? 0))
  }

  /** Only within a transaction. Returns whether the entry existed, expired or not. */
  remove(scope: StateScope, key: string): boolean {
    const known = this.#entry(scope, key)
    if (!known) return false
    this.#connection.prepare('DELETE FROM entries WHERE scope = @scope AND key = @key').run({ scope, key })
    this.#count(-1, -known.bytes)
    return true
  }

  /** Removes up to `limit` expired entries. Only within a transaction. */
  sweep(now: number, limit: number): void {
    const expired = this.#connection
      .prepare<{ scope: StateScope; key: string }>(
        'SELECT scope, key FROM entries WHERE expires_at <= @now LIMIT @limit',
      )
      .all({ now, limit })
    for (const { scope, key } of expired) this.remove(scope, key)
  }

  /** Includes expired entries that have not been removed. */
  usage(): StateUsage {
    return this.#connection.prepare<StateUsage>('SELECT entries, bytes FROM usage').get({})!
  }

  /** Starts a commit and returns its version. */
  #begin(now: number): number {
    this.sweep(now, SWEPT_PER_COMMIT)
    this.#growth = 0
    const sql = 'UPDATE usage SET version = version + 1 RETURNING version'
    return this.#connection.prepare<{ version: number }>(sql).get({})!.version
  }

  /** Throws CommitRefusedError when the store is too large even without expired entries. */
  #requireRoom(now: number): void {
    if (this.#growth <= 0 || this.usage().bytes <= this.#maxBytes) return
    this.sweep(now, Number.MAX_SAFE_INTEGER)
    if (this.usage().bytes > this.#maxBytes) throw new CommitRefusedError(storeFull(this.#maxBytes))
  }

  /** Includes expired entries. */
  #entry(scope: StateScope, key: string): EntryRow | undefined {
    const sql = 'SELECT value, bytes, expires_at FROM entries WHERE scope = @scope AND key = @key'
    return this.#connection.prepare<EntryRow>(sql).get({ scope, key })
  }

  #count(entries: number, bytes: number): void {
    const sql = 'UPDATE usage SET entries = entries + @entries, bytes = bytes + @bytes'
    this.#connection.prepare(sql).run({ entries, bytes })
    this.#growth += bytes
  }
}
