import type { ServerMetrics } from '../../../shared/contract/monitoring/metrics.ts'
import { ENVIRONMENTS, type Environment } from '../../../shared/contract/states.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { requireServer } from '../deployments/release-history.ts'
import { type HistoryQuery, type HistoryRange, toHistory, toRange } from './metrics-history.ts'

type Dependencies = Pick<ServiceDependencies, 'clock' | 'destinations' | 'requestMetrics' | 'store'>

/** Past metrics of servers across their releases. */
export class ServerMetricsHistory {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws NOT_FOUND for an unknown server, and INVALID_REQUEST for an invalid period. */
  history(
    { server, environment }: { server: string; environment: Environment | undefined },
    query: HistoryQuery,
  ): ServerMetrics {
    requireServer(this.#deps, server)
    const range = toRange(query, this.#deps.clock.now())
    const wanted = environment === undefined ? ENVIRONMENTS : [environment]
    return { name: server, items: wanted.flatMap(each => this.#environment(server, each, range)) }
  }

  #environment(server: string, environment: Environment, range: HistoryRange): ServerMetrics['items'] {
    const { store, requestMetrics, destinations } = this.#deps
    const releases = store.releases.listAll(server, environment)
    if (releases.length === 0) return []
    const minutes = requestMetrics.serverMinutes(server, environment, range.since, range.until)
    const { id: _, ...history } = toHistory('', range, minutes)
    const live = store.deployments.findLive(server, environment)
    return [
      {
        environment,
        ...history,
        releases: releases
          .map(({ version, createdAt }) => ({ version, timestamp: createdAt }))
          .filter(({ timestamp }) => timestamp >= history.since && timestamp < history.until),
        ...(live && { destinations: destinations.list(live.id) }),
      },
    ]
  }
}
