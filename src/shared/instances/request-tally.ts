import { LATENCY_BUCKETS, latencyBucket, latencyQuantileMs } from './latency-buckets.ts'

/** Answered requests, as sent in messages and stored. */
export interface RequestCounts {
  requests: number
  /** Requests answered with a JSON-RPC error, a tool error or an HTTP status of 500 or above. */
  errors: number
  /** Sum of their latencies in milliseconds. */
  sumMs: number
  /** Pairs of index ({@link latencyBucket}) and count, for the buckets that are not empty. */
  latencies: number[]
}

/** `tool` is empty unless the method is `tools/call`. */
export interface SeriesName {
  method: string
  tool: string
}

export type SeriesCounts = SeriesName & RequestCounts

/** Summary of a tally, as the API returns it. */
export interface RequestSummary {
  total: number
  errors: number
  /** `errors / total`. 0 without requests. */
  errorRate: number
  p50Ms: number
  p99Ms: number
}

/** Counts requests and their latencies. Takes 4 KB of memory after the first request, and almost nothing before it. */
export class RequestTally {
  requests = 0
  errors = 0
  sumMs = 0
  #latencies: Float64Array | undefined

  record(ms: number, failed: boolean): void {
    this.requests++
    if (failed) this.errors++
    this.sumMs += ms
    this.#latencies ??= new Float64Array(LATENCY_BUCKETS)
    this.#latencies[latencyBucket(ms)]!++
  }

  add({ requests, errors, sumMs, latencies }: RequestCounts): void {
    this.requests += requests
    this.errors += errors
    this.sumMs += sumMs
    for (let at = 0; at + 1 < latencies.length; at += 2) {
      this.#latencies ??= new Float64Array(LATENCY_BUCKETS)
      this.#latencies[latencies[at]!]! += latencies[at + 1]!
    }
  }

  /** Counts by bucket. Undefined before the first request. */
  get latencies(): ArrayLike<number> | undefined {
    return this.#latencies
  }

  counts(): RequestCounts {
    const latencies: number[] = []
    const all = this.#latencies
    for (let bucket = 0; all && bucket < all.length; bucket++)
      if (all[bucket]! > 0) latencies.push(bucket, all[bucket]!)
    return { requests: this.requests, errors: this.errors, sumMs: this.sumMs, latencies }
  }

  summary(): RequestSummary {
    return {
      total: this.requests,
      errors: this.errors,
      errorRate: this.requests === 0 ? 0 : this.errors / this.requests,
      p50Ms: latencyQuantileMs(this.#latencies, 0.5),
      p99Ms: latencyQuantileMs(this.#latencies, 0.99),
    }
  }
}

export function sumOf(parts: Iterable<RequestCounts>): RequestTally {
  const sum = new RequestTally()
  for (const part of parts) sum.add(part)
  return sum
}

/** Gets or creates the tally of a key. */
export function tallyOf<Key>(tallies: Map<Key, RequestTally>, key: Key): RequestTally {
  const known = tallies.get(key)
  if (known) return known
  const tally = new RequestTally()
  tallies.set(key, tally)
  return tally
}
