import { VERSION } from '../../shared/version.ts'
import type { Observed } from '../metrics/exposition.ts'
import type { Rooms } from './rooms.ts'

const NONE = { total: 0, errors: 0, errorRate: 0, p50Ms: 0, p99Ms: 0 }

/** `/metrics` for Prometheus. Nothing that sleeps is woken, and the library is loaded by the first scrape. */
export class PrometheusPage {
  readonly #rooms: Rooms

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  async render(): Promise<{ type: string; text: string }> {
    const { expose } = await import('../metrics/exposition.ts')
    const { deployments, builds, containerBuilds } = this.#rooms.store
    return expose({
      version: VERSION,
      series: this.#rooms.requestMetrics.ofServers(),
      instances: this.#instances(),
      deployments: deployments.countLive(),
      builds: builds.countByStatus(),
      containerBuilds: containerBuilds.countByStatus(),
    })
  }

  #instances(): Observed['instances'] {
    const { supervisor, store } = this.#rooms
    const ids = new Set(supervisor.running().map(({ id }) => id))
    return [...ids].flatMap(id => {
      const deployment = store.deployments.find(id)
      const server = deployment?.name ?? store.builds.find(id)?.name
      if (server === undefined) return []
      const environment = deployment?.environment ?? 'preview'
      return supervisor
        .report(id)
        .instances.map(({ id: instance, state, memoryBytes, activeRequests, restarts, requests }) => ({
          server,
          environment,
          instance,
          state,
          memoryBytes,
          activeRequests,
          restarts,
          requests: requests ?? NONE,
        }))
    })
  }
}
