import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type { LiveMetrics } from '../../../shared/contract/monitoring/metrics.ts'
import { RequestTally } from '../../../shared/instances/request-tally.ts'
import type { LiveDeployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { type HistoryQuery, toHistory, toRange } from './metrics-history.ts'
import { RECENT_SECONDS, type ToolSummary } from './request-metrics.ts'

export interface LiveFilter {
  /** Name of a server. */
  name?: string | undefined
  environment?: string | undefined
  deploymentId?: string | undefined
}

type Dependencies = Pick<
  ServiceDependencies,
  'clock' | 'destinations' | 'requestMetrics' | 'store' | 'supervisor'
>

/** Current and past metrics of deployments. Does not wake sleeping deployments. */
export class DeploymentMetrics {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws INVALID_REQUEST for an invalid period. */
  history(id: string, query: HistoryQuery) {
    const range = toRange(query, this.#deps.clock.now())
    const { requestMetrics, destinations } = this.#deps
    const history = toHistory(id, range, requestMetrics.minutes(id, range.since, range.until))
    return { ...history, destinations: destinations.list(id) }
  }

  /** Every live deployment with its requests in the last few minutes. */
  now(filter: LiveFilter): LiveMetrics {
    const { requestMetrics } = this.#deps
    const tools = (id: string) => requestMetrics.recentTools(id)
    return this.#snapshot(filter, { sums: requestMetrics.recent(), tools, seconds: RECENT_SECONDS })
  }

  /** Yields `now`, then at each interval the requests since the previous values, until the signal aborts. */
  async *watch(
    filter: LiveFilter & { intervalSeconds: number; signal: AbortSignal },
  ): AsyncGenerator<LiveMetrics> {
    const watcher = this.#deps.requestMetrics.watch()
    try {
      yield this.now(filter)
      let before = performance.now()
      watcher.take()
      while (await waitSeconds(filter.intervalSeconds, filter.signal)) {
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
    const live = this.#deps.store.deployments
      .listLive()
      .filter(
        ({ id, name, environment }) =>
          isWanted(filter.deploymentId, id) &&
          isWanted(filter.name, name) &&
          isWanted(filter.environment, environment),
      )
    return {
      timestamp: this.#deps.clock.now(),
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
    const { supervisor } = this.#deps
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

/** Requests of the last `seconds`, by deployment. */
interface Window {
  sums: Map<string, RequestTally>
  tools(id: string): ToolSummary[]
  seconds: number
}

function isWanted(wanted: string | undefined, is: string): boolean {
  return wanted === undefined || wanted === is
}

/** Resolves with false when the signal aborts. */
async function waitSeconds(seconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(seconds * 1000, undefined, { signal, ref: false })
    return true
  } catch {
    return false // only the signal stops a timer early
  }
}
