import { LATENCY_BUCKETS_MS, type TenantMetrics } from '../shared/instance-protocol.ts'

const SMALLEST_MS = LATENCY_BUCKETS_MS[0]!
const STEP = Math.log(LATENCY_BUCKETS_MS[1]! / SMALLEST_MS)

/** Requests of one tenant, counted since it was served. */
export class RequestCounters {
  active = 0
  requests = 0
  errors = 0
  lastRequestAt = 0
  // Made by the first request: a host keeps thousands of tenants that are hardly ever called.
  #buckets: Uint32Array | undefined

  count(ms: number, failed: boolean, now: number): void {
    this.requests++
    if (failed) this.errors++
    this.lastRequestAt = now
    this.#buckets ??= new Uint32Array(LATENCY_BUCKETS_MS.length + 1)
    this.#buckets[bucketOf(ms)]!++
  }

  /** As the daemon wants it, with what only the tenant knows. */
  report(tenantId: string, connections: number, sessions: number): TenantMetrics {
    return {
      tenantId,
      connections,
      activeRequests: this.active,
      sessions,
      requests: this.requests,
      errors: this.errors,
      latencyBuckets: Array.from(this.#buckets ?? new Uint32Array(LATENCY_BUCKETS_MS.length + 1)),
      lastRequestAt: this.lastRequestAt,
    }
  }
}

/** Index of the first bound that is not below `ms`; the one after the last bound for all above. */
function bucketOf(ms: number): number {
  if (ms <= SMALLEST_MS) return 0
  return Math.min(Math.ceil(Math.log(ms / SMALLEST_MS) / STEP), LATENCY_BUCKETS_MS.length)
}

const REPORT_MS = 1000
/** So that a change after a quiet time is told soon, together with what follows at once. */
const GATHER_MS = 50

/** Calls `send` at most once a second with what changed since, and not at all when nothing did. */
export class ChangeReporter<T> {
  readonly #send: (changed: T[]) => void
  #changed = new Set<T>()
  #timer: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(send: (changed: T[]) => void) {
    this.#send = send
  }

  changed(subject: T): void {
    this.#changed.add(subject)
    this.#timer ??= setTimeout(
      () => this.#report(),
      Math.max(GATHER_MS, this.#sentAt + REPORT_MS - performance.now()),
    ).unref()
  }

  forget(subject: T): void {
    this.#changed.delete(subject)
  }

  #report(): void {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    if (changed.length === 0) return
    this.#sentAt = performance.now()
    this.#send(changed)
  }
}
