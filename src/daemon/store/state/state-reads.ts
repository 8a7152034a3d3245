import {
  MAX_PAGE_BYTES,
  type StateCheck,
  type StateOperation,
  type StateRange,
  type StateResult,
  type StateScope,
} from '../../../shared/instances/state-operations.ts'
import { endOfPrefix } from '../key-range.ts'
import type { StateConnection } from './state-connection.ts'

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

const NOT_EXPIRED = '(expires_at IS NULL OR expires_at > @now)'

const COUNT_COPY = `UPDATE copy.usage SET (version, entries, bytes) =
  (SELECT coalesce(max(version), 0), count(*), coalesce(sum(bytes), 0) FROM copy.entries)`

/** Reads the entries that have not expired. Times are in Unix milliseconds. */
export class StateReads {
  readonly #connection: StateConnection

  constructor(connection: StateConnection) {
    this.#connection = connection
  }

  get({ scope, key }: Extract<StateOperation, { op: 'get' }>, now: number): StateResult {
    const sql = `SELECT value, version FROM entries WHERE scope = @scope AND key = @key AND ${NOT_EXPIRED}`
    const row = this.#connection.prepare<{ value: string; version: number }>(sql).get({ scope, key, now })
    return { value: row?.value ?? null, version: row?.version ?? 0 }
  }

  list(
    { scope, prefix, after, limit, reverse, isTracked }: Extract<StateOperation, { op: 'list' }>,
    now: number,
  ): StateResult {
    const end = endOfPrefix(prefix)
    const sql = `SELECT key, value, bytes FROM entries WHERE scope = @scope AND ${NOT_EXPIRED} AND key >= @prefix
      ${end === undefined ? '' : 'AND key < @end'}
      ${after === undefined ? '' : `AND key ${reverse ? '<' : '>'} @after`}
      ORDER BY key ${reverse ? 'DESC' : ''} LIMIT @limit`
    const given = { scope, now, prefix, end, after, limit: limit + 1 }
    const entries: [string, string][] = []
    let isWhole = true
    let size = 0
    for (const row of this.#connection
      .prepare<{ key: string; value: string; bytes: number }>(sql)
      .iterate(given)) {
      isWhole = entries.length < limit && size <= MAX_PAGE_BYTES
      if (!isWhole) break
      entries.push([row.key, row.value])
      size += row.bytes
    }
    return { entries, isWhole, ...(isTracked && { range: this.#range(scope, prefix, now) }) }
  }

  rows({ scope, key, prefix = '', after, limit }: StateQuery, now: number): StateRow[] {
    const end = endOfPrefix(prefix)
    const sql = `SELECT scope, key, value, expires_at AS expiresAt FROM entries WHERE ${NOT_EXPIRED} AND key >= @prefix
      ${end === undefined ? '' : 'AND key < @end'} ${scope === undefined ? '' : 'AND scope = @scope'} ${key === undefined ? '' : 'AND key = @key'}
      ${after ? 'AND (scope, key) > (@afterScope, @afterKey)' : ''} ORDER BY scope, key LIMIT @limit`
    const given = { now, prefix, end, scope, key, afterScope: after?.scope, afterKey: after?.key, limit }
    return this.#connection.prepare<StateRow>(sql).all(given)
  }

  /** Copies the entries that no user owns to the empty store at `path`. */
  copyShared(path: string, now: number): void {
    this.#connection.prepare('ATTACH @path AS copy').run({ path })
    try {
      this.#connection.readTransaction(() => {
        const sql = `INSERT INTO copy.entries SELECT * FROM entries WHERE scope = '' AND ${NOT_EXPIRED}`
        this.#connection.prepare(sql).run({ now })
        this.#connection.prepare(COUNT_COPY).run({})
      })
    } finally {
      this.#connection.prepare('DETACH copy').run({})
    }
  }

  /** True if the data that a transaction read has not changed. */
  holds(scope: StateScope, check: StateCheck, now: number): boolean {
    if ('key' in check) {
      const sql = `SELECT version FROM entries WHERE scope = @scope AND key = @key AND ${NOT_EXPIRED}`
      const row = this.#connection.prepare<{ version: number }>(sql).get({ scope, key: check.key, now })
      return (row?.version ?? 0) === check.version
    }
    const { count, version } = this.#range(scope, check.prefix, now)
    return count === check.count && version === check.version
  }

  #range(scope: StateScope, prefix: string, now: number): StateRange {
    const end = endOfPrefix(prefix)
    const sql = `SELECT count(*) AS count, coalesce(max(version), 0) AS version FROM entries
      WHERE scope = @scope AND ${NOT_EXPIRED} AND key >= @prefix ${end === undefined ? '' : 'AND key < @end'}`
    return this.#connection.prepare<StateRange>(sql).get({ scope, now, prefix, end })!
  }
}
