import type { HealthReport } from '../../../shared/contract/monitoring/health-reports.ts'
import {
  type RequestTally,
  type SeriesCounts,
  sumOf,
  tallyOf,
} from '../../../shared/instances/request-tally.ts'
import type { Store } from '../../store/store.ts'
import type { RequestMinute, ServerSeries } from '../../store/tables/request-history.ts'
import type { Clock } from '../clock.ts'
import { type LedgerOwner, RequestLedger } from './request-ledger.ts'

const MINUTE_MS = 60_000
/** Counts are kept for a week. Older ones are removed at most once an hour. */
const KEPT_MINUTES = 7 * 24 * 60
const FLUSHES_PER_PRUNE = 60
/** Period of the `recent` figures. */
const RECENT_MINUTES = 5
export const RECENT_SECONDS = RECENT_MINUTES * 60

export type ToolSummary = NonNullable<HealthReport['tools']>[number]

export interface RequestMetricsOptions {
  store: Store
  clock: Clock
  /** Called when writing fails. The next request schedules another attempt. */
  onError(error: unknown): void
}

/**
 * Requests of all deployments. Reports from instances are accumulated in memory and written once a minute in one transaction.
 * Without requests there is neither a timer nor a row. A killed daemon loses the unwritten minute.
 */
export class RequestMetrics {
  readonly #options: RequestMetricsOptions
  /** Counts that are not yet written. */
  readonly #pending = new RequestLedger()
  readonly #watchers = new Set<RequestLedger>()
  #minute = 0
  #flushes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: RequestMetricsOptions) {
    this.#options = options
  }

  /** Adds requests that an instance of a deployment or preview has answered. */
  record(id: string, series: readonly SeriesCounts[]): void {
    const findOwner = (one: string) => this.#findOwner(one)
    if (this.#pending.isEmpty) this.#minute = this.#thisMinute()
    this.#pending.add(id, series, findOwner)
    for (const watcher of this.#watchers) watcher.add(id, series, findOwner)
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS - (Date.now() % MINUTE_MS)).unref()
  }

  /** Writes pending counts. Never throws. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.isEmpty) return
    const { store, onError } = this.#options
    try {
      store.requestHistory.add(this.#minutesToWrite())
      this.#pending.clear()
      if (this.#flushes++ % FLUSHES_PER_PRUNE === 0)
        store.requestHistory.prune(this.#thisMinute() - KEPT_MINUTES)
    } catch (error) {
      onError(error)
    }
  }

  /** Totals since the deployment was created, recent figures, and totals by tool. */
  summarize(id: string): Pick<HealthReport, 'requests'> & Required<Pick<HealthReport, 'recent' | 'tools'>> {
    const { requestHistory } = this.#options.store
    const all = [...requestHistory.totals(id), ...this.#pending.counts(id)]
    return {
      requests: sumOf(all).summary(),
      recent: { windowSeconds: RECENT_SECONDS, ...sumOf(this.#recentCounts(id)).summary() },
      tools: summarizeTools(all),
    }
  }

  /** Requests of a deployment that are not yet in the store. */
  unwritten(id: string): RequestTally {
    return sumOf(this.#pending.counts(id))
  }

  recent(): Map<string, RequestTally> {
    const sums = new Map<string, RequestTally>()
    const since = this.#thisMinute() - RECENT_MINUTES + 1
    for (const { deploymentId, ...counts } of this.#options.store.requestHistory.since(since))
      tallyOf(sums, deploymentId).add(counts)
    for (const { id, series } of this.#pending.all())
      for (const counts of series) tallyOf(sums, id).add(counts)
    return sums
  }

  /** Requests of one deployment by minute, oldest first. `since` and `until` are Unix minutes. `until` is exclusive. */
  minutes(id: string, since: number, until: number): (SeriesCounts & { minute: number })[] {
    const written = this.#options.store.requestHistory.minutes(id, since, until)
    return [...written, ...this.#pendingMinute(since, until, () => this.#pending.counts(id))]
  }

  /** Like `minutes`, but for all releases of a server in an environment. */
  serverMinutes(
    server: string,
    environment: string,
    since: number,
    until: number,
  ): (SeriesCounts & { minute: number })[] {
    const written = this.#options.store.requestHistory.serverMinutes(server, environment, since, until)
    const pending = () =>
      this.#pending
        .all()
        .filter(one => one.server === server && one.environment === environment)
        .flatMap(({ series }) => series)
    return [...written, ...this.#pendingMinute(since, until, pending)]
  }

  /** Totals by server, environment, method and tool, including removed deployments and previews. */
  totalsByServer(): ServerSeries[] {
    const written = this.#options.store.requestHistory.totalsByServer()
    const pending = this.#pending
      .all()
      .flatMap(({ server, environment, series }) => series.map(one => ({ server, environment, ...one })))
    const sums = new Map<string, RequestTally>()
    for (const { server, environment, method, tool, ...counts } of [...written, ...pending])
      tallyOf(sums, JSON.stringify([server, environment, method, tool])).add(counts)
    return [...sums].map(([key, tally]) => {
      const [server, environment, method, tool] = JSON.parse(key)
      return { server, environment, method, tool, ...tally.counts() }
    })
  }

  recentTools(id: string): ToolSummary[] {
    return summarizeTools(this.#recentCounts(id))
  }

  /** Counts new requests until `stop`. `take` returns the counts since the last call. */
  watch(): { take(): { sums: Map<string, RequestTally>; tools: Map<string, ToolSummary[]> }; stop(): void } {
    const ledger = new RequestLedger()
    this.#watchers.add(ledger)
    return {
      take() {
        const all = ledger.all()
        ledger.clear()
        return {
          sums: new Map(all.map(({ id, series }) => [id, sumOf(series)])),
          tools: new Map(all.map(({ id, series }) => [id, summarizeTools(series)])),
        }
      },
      stop: () => this.#watchers.delete(ledger),
    }
  }

  #pendingMinute(
    since: number,
    until: number,
    counts: () => SeriesCounts[],
  ): (SeriesCounts & { minute: number })[] {
    if (this.#minute < since || this.#minute >= until) return []
    return counts().map(series => ({ minute: this.#minute, ...series }))
  }

  #recentCounts(id: string): SeriesCounts[] {
    const now = this.#thisMinute()
    const written = this.#options.store.requestHistory.minutes(id, now - RECENT_MINUTES + 1, now + 1)
    return [...written, ...this.#pending.counts(id)]
  }

  #minutesToWrite(): RequestMinute[] {
    return this.#pending.all().map(({ deploymentId, server, environment, series }) => ({
      deploymentId,
      server,
      environment,
      minute: this.#minute,
      series,
    }))
  }

  #thisMinute(): number {
    return Math.floor(Date.parse(this.#options.clock.now()) / MINUTE_MS)
  }

  #findOwner(id: string): LedgerOwner | undefined {
    const { deployments, builds, releases } = this.#options.store
    // An instance may still drain when the record of its deployment has been removed.
    const deployment = deployments.find(id) ?? releases.find(id)
    const build = builds.find(deployment?.mcpId ?? id)
    if (!build) return undefined
    return {
      deploymentId: deployment?.id,
      server: build.name,
      environment: deployment?.environment ?? 'preview',
      tools: new Set(build.tools),
    }
  }
}

/** Most used tools first. */
function summarizeTools(series: readonly SeriesCounts[]): ToolSummary[] {
  return [...byTool(series)]
    .map(([tool, tally]) => ({ tool, ...tally.summary() }))
    .sort((a, b) => b.total - a.total)
}

function byTool(series: readonly SeriesCounts[]): Map<string, RequestTally> {
  const sums = new Map<string, RequestTally>()
  for (const { tool, ...counts } of series) if (tool !== '') tallyOf(sums, tool).add(counts)
  return sums
}
