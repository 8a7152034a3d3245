import { VERSION } from '../../../shared/version.ts'
import type { PageValues } from '../../metrics/exposition.ts'
import type { ServiceDependencies } from '../dependencies.ts'

const NO_REQUESTS = { total: 0, errors: 0, errorRate: 0, p50Ms: 0, p99Ms: 0 }

type Dependencies = Pick<ServiceDependencies, 'requestMetrics' | 'store' | 'supervisor'>

/** `/metrics` for Prometheus. Does not wake sleeping deployments. The first scrape loads the library. */
export class PrometheusPage {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async render(): Promise<{ type: string; text: string }> {
    const { expose } = await import('../../metrics/exposition.ts')
    const { deployments, builds, containerBuilds } = this.#deps.store
    return expose({
      version: VERSION,
      series: this.#deps.requestMetrics.totalsByServer(),
      instances: this.#instances(),
      deployments: deployments.countActive(),
      builds: builds.countByStatus(),
      containerBuilds: containerBuilds.countByStatus(),
    })
  }

  #instances(): PageValues['instances'] {
    const { supervisor, store } = this.#deps
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
          requests: requests ?? NO_REQUESTS,
        }))
    })
  }
}
