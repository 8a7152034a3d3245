import type { TenantMetrics } from '../../shared/instance-protocol.ts'
import type { ServedReport } from './supervisor.ts'

type Counters = Pick<TenantMetrics, 'requests' | 'errors'>

/** Requests of one deployment since it is served, kept while its instances come and go. */
export class Traffic {
  #ended = { total: 0, errors: 0 }

  /** Takes over the last counters of an instance that ended. */
  keep({ requests, errors }: Counters): void {
    this.#ended.total += requests
    this.#ended.errors += errors
  }

  report(live: (Counters | undefined)[]): ServedReport['requests'] {
    const sum = { ...this.#ended }
    for (const part of live) {
      sum.total += part?.requests ?? 0
      sum.errors += part?.errors ?? 0
    }
    return sum
  }
}
