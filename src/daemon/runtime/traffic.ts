import { LATENCY_BUCKETS_MS, latencyQuantileMs, type TenantMetrics } from '../../shared/instance-protocol.ts'
import type { ServedReport } from './supervisor.ts'

type Counters = Pick<TenantMetrics, 'requests' | 'errors' | 'latencyBuckets'>

/** Request counters of one deployment, kept as totals while its instances come and go. */
export class Traffic {
  #ended: Counters | undefined

  /** Takes over the last counters of an instance that ended. */
  keep(last: Counters): void {
    this.#ended = sum([this.#ended, last])
  }

  report(live: (Counters | undefined)[]): ServedReport['requests'] {
    const { requests, errors, latencyBuckets } = sum([this.#ended, ...live])
    const p50Ms = latencyQuantileMs(latencyBuckets, 0.5)
    return { total: requests, errors, p50Ms, p99Ms: latencyQuantileMs(latencyBuckets, 0.99) }
  }
}

function sum(parts: (Counters | undefined)[]): Counters {
  const total = { requests: 0, errors: 0, latencyBuckets: new Array(LATENCY_BUCKETS_MS.length + 1).fill(0) }
  for (const part of parts) {
    if (!part) continue
    total.requests += part.requests
    total.errors += part.errors
    for (const [index, count] of part.latencyBuckets.entries()) total.latencyBuckets[index] += count
  }
  return total
}
