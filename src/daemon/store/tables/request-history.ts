import type BetterSqlite3 from 'better-sqlite3'
import { type RequestCounts, type SeriesCounts, sumOf } from '../../../shared/instances/request-tally.ts'
import type { Database } from '../database.ts'
import { toStoreError } from '../database-errors.ts'
import { packCounts, unpackCounts } from '../sparse-counts.ts'

/** Requests that one deployment or preview answered within a minute. */
export interface RequestMinute {
  /** Undefined for previews. */
  deploymentId: string | undefined
  server: string
  environment: string
  /** Unix time in minutes. */
  minute: number
  series: SeriesCounts[]
}

export type ServerSeries = SeriesCounts & { server: string; environment: string }

interface CountsRow {
  method: string
  tool: string
  requests: number
  errors: number
  sum_ms: number
  latencies: Buffer
}

const COUNTS = 'method, tool, requests, errors, sum_ms, latencies'

/** Request totals and counts by minute. Written through the connection whose commits need not survive a power cut. */
export class RequestHistoryStore {
  readonly #database: Database
  readonly #statements = new Map<string, BetterSqlite3.Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Adds to the stored counts in one transaction. */
  add(minutes: readonly RequestMinute[]): void {
    const { relaxed } = this.#database
    this.#translate(() =>
      relaxed
        .transaction(() => {
          for (const minute of minutes) this.#addMinute(minute)
        })
        .immediate(),
    )
  }

  /** Totals since the deployment was created. */
  totals(id: string): SeriesCounts[] {
    return this.#all<CountsRow>(`SELECT ${COUNTS} FROM deployment_requests WHERE deployment_id = ?`, id).map(
      toSeries,
    )
  }

  /** Totals of all servers and environments, including removed deployments. */
  totalsByServer(): ServerSeries[] {
    return this.#all<CountsRow & { server: string; environment: string }>(
      `SELECT server, environment, ${COUNTS} FROM server_requests`,
    ).map(row => ({ server: row.server, environment: row.environment, ...toSeries(row) }))
  }

  /** Minutes from `since` to `until` (exclusive), oldest first. Both are Unix minutes. */
  minutes(id: string, since: number, until: number): (SeriesCounts & { minute: number })[] {
    return this.#all<CountsRow & { minute: number }>(
      `SELECT minute, ${COUNTS} FROM request_minutes
       WHERE deployment_id = ? AND minute >= ? AND minute < ? ORDER BY minute`,
      id,
      since,
      until,
    ).map(row => ({ minute: row.minute, ...toSeries(row) }))
  }

  /** Like `minutes`, but for all releases of a server in an environment. */
  serverMinutes(
    server: string,
    environment: string,
    since: number,
    until: number,
  ): (SeriesCounts & { minute: number })[] {
    return this.#all<CountsRow & { minute: number }>(
      `SELECT minute, ${COUNTS} FROM request_minutes
       WHERE deployment_id IN (SELECT id FROM releases WHERE server = ? AND environment = ?)
       AND minute >= ? AND minute < ? ORDER BY minute`,
      server,
      environment,
      since,
      until,
    ).map(row => ({ minute: row.minute, ...toSeries(row) }))
  }

  /** Minutes of all deployments, starting at `minute`. */
  since(minute: number): (SeriesCounts & { deploymentId: string })[] {
    return this.#all<CountsRow & { deployment_id: string }>(
      `SELECT deployment_id, ${COUNTS} FROM request_minutes WHERE minute >= ?`,
      minute,
    ).map(row => ({ deploymentId: row.deployment_id, ...toSeries(row) }))
  }

  /** Removes minutes before the given one. */
  prune(before: number): void {
    this.#translate(() => this.#prepare('DELETE FROM request_minutes WHERE minute < ?').run(before))
  }

  #addMinute({ deploymentId, server, environment, minute, series }: RequestMinute): void {
    // A deployment or server may have been removed since, or the database replaced. A release outlives its deployment.
    const isKnown = this.#exists('SELECT 1 FROM deployments WHERE id = ?', deploymentId)
    const isRelease = this.#exists('SELECT 1 FROM releases WHERE id = ?', deploymentId)
    const isServer = this.#exists('SELECT 1 FROM servers WHERE name = ?', server)
    if (isRelease) {
      const { requests, errors } = sumOf(series)
      this.#prepare('UPDATE releases SET requests = requests + ?, errors = errors + ? WHERE id = ?').run(
        requests,
        errors,
        deploymentId,
      )
    }
    for (const one of series) {
      if (isServer) this.#addTo('server_requests', { server, environment }, one)
      if (isKnown) this.#addTo('deployment_requests', { deployment_id: deploymentId! }, one)
      if (isRelease) this.#addTo('request_minutes', { deployment_id: deploymentId!, minute }, one)
    }
  }

  #addTo(
    table: string,
    owner: Record<string, string | number>,
    { method, tool, ...counts }: SeriesCounts,
  ): void {
    const key = { ...owner, method, tool }
    const names = Object.keys(key)
    const values = Object.values(key)
    const where = names.map(name => `${name} = ?`).join(' AND ')
    const known = this.#prepare(`SELECT ${COUNTS} FROM ${table} WHERE ${where}`).get(...values)
    const sum = known ? sumOf([toSeries(known as CountsRow), counts]).counts() : counts
    this.#prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(', ')}, requests, errors, sum_ms, latencies)
       VALUES (${names.map(() => '?').join(', ')}, ?, ?, ?, ?)`,
    ).run(...values, ...toColumns(sum))
  }

  #exists(sql: string, id: string | undefined): boolean {
    return id !== undefined && this.#prepare(sql).get(id) !== undefined
  }

  #all<Row>(sql: string, ...params: unknown[]): Row[] {
    return this.#translate(() => this.#prepare(sql).all(...params) as Row[])
  }

  #prepare(sql: string): BetterSqlite3.Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.relaxed.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #translate<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, this.#database.path)
    }
  }
}

function toSeries(row: CountsRow): SeriesCounts {
  const { method, tool, requests, errors, sum_ms, latencies } = row
  return { method, tool, requests, errors, sumMs: sum_ms, latencies: unpackCounts(latencies) }
}

function toColumns({ requests, errors, sumMs, latencies }: RequestCounts): [number, number, number, Buffer] {
  return [requests, errors, sumMs, packCounts(latencies)]
}
