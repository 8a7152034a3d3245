import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceReport } from '../../shared/health-reports.ts'
import type { LiveMetrics } from '../../shared/metrics.ts'
import { RequestTally } from '../../shared/request-tally.ts'
import type { LiveDeployment } from '../store/deployments.ts'
import { type HistoryQuery, toHistory, toRange } from './metrics-history.ts'
import { RECENT_SECONDS, type ToolSummary } from './request-metrics.ts'
import type { Rooms } from './rooms.ts'

export interface LiveFilter {
  environment?: string | undefined
  deploymentId?: string | undefined
}

/** What deployments do now, and did within the last week. Nothing that sleeps is woken. */
export class DeploymentMetrics {
  readonly #rooms: Rooms

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /** Throws INVALID_REQUEST for a time that is none. */
  history(id: string, query: HistoryQuery) {
    const range = toRange(query, this.#rooms.clock.now())
    const { requestMetrics, destinations } = this.#rooms
    const history = toHistory(id, range, requestMetrics.minutes(id, range.since, range.until))
    return { ...history, destinations: destinations.of(id) }
  }

  /** Every live deployment with its requests of the last minutes. */
  now(filter: LiveFilter): LiveMetrics {
    const { requestMetrics } = this.#rooms
    const tools = (id: string) => requestMetrics.recentTools(id)
    return this.#snapshot(filter, { sums: requestMetrics.recent(), tools, seconds: RECENT_SECONDS })
  }

  /** The same at once, then every so many seconds with the requests since the time before, until the signal aborts. */
  async *watch(
    filter: LiveFilter & { intervalSeconds: number; signal: AbortSignal },
  ): AsyncGenerator<LiveMetrics> {
    const watcher = this.#rooms.requestMetrics.watch()
    try {
      yield this.now(filter)
      let before = performance.now()
      watcher.take()
      while (await passed(filter.intervalSeconds, filter.signal)) {
        const now = performance.now()
        const { sums, tools } = watcher.take()
        yield this.#snapshot(filter, {
          sums,
          tools: id => tools.get(id) ?? [],
          seconds: (now - before) / 1000,
        })
        before = now
      }
    } finally {
      watcher.stop()
    }
  }

  #snapshot(filter: LiveFilter, window: Window): LiveMetrics {
    const live = this.#rooms.store.deployments
      .live()
      .filter(
        ({ id, environment }) =>
          isWanted(filter.deploymentId, id) && isWanted(filter.environment, environment),
      )
    return {
      timestamp: this.#rooms.clock.now(),
      windowSeconds: Math.round(window.seconds * 1000) / 1000,
      deployments: live.map(one => ({
        ...this.#entry(one, window.sums.get(one.id) ?? new RequestTally(), window.seconds),
        ...(filter.deploymentId !== undefined && {
          tools: window.tools(one.id),
          running: this.#instancesOf(one.id),
        }),
      })),
    }
  }

  #instancesOf(id: string): InstanceReport[] {
    const { supervisor } = this.#rooms
    return supervisor.has(id) ? supervisor.report(id).instances : []
  }

  #entry(
    { id, name, environment }: LiveDeployment,
    tally: RequestTally,
    windowSeconds: number,
  ): LiveMetrics['deployments'][number] {
    const instances = this.#instancesOf(id)
    const sum = (value: (one: (typeof instances)[number]) => number) =>
      instances.reduce((total, one) => total + value(one), 0)
    return {
      deploymentId: id,
      name,
      environment,
      instances: sum(({ state }) => Number(state === 'ready')),
      memoryBytes: sum(({ memoryBytes }) => memoryBytes),
      activeRequests: sum(({ activeRequests }) => activeRequests),
      requestsPerSecond: Math.round((tally.requests / windowSeconds) * 100) / 100,
      requests: tally.summary(),
    }
  }
}

/** What was answered within so many seconds until now, by deployment. */
interface Window {
  sums: Map<string, RequestTally>
  tools(id: string): ToolSummary[]
  seconds: number
}

function isWanted(wanted: string | undefined, is: string): boolean {
  return wanted === undefined || wanted === is
}

/** False when the signal aborted meanwhile. */
async function passed(seconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(seconds * 1000, undefined, { signal, ref: false })
    return true
  } catch {
    return false // nothing but the abort ends a timer early
  }
}
