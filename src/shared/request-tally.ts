import { LATENCY_BUCKETS, latencyBucket, latencyQuantileMs } from './latency-buckets.ts'

/** Requests that were answered, as they travel and are kept. */
export interface RequestCounts {
  requests: number
  /** Of these, answered with a JSON-RPC error, a tool error or an HTTP status of 500 and above. */
  errors: number
  /** Sum of their latencies in milliseconds. */
  sumMs: number
  /** Buckets that counted something, in pairs: index ({@link latencyBucket}) and count. */
  latencies: number[]
}

/** Which requests: `tool` for `tools/call`, empty for other methods. */
export interface SeriesName {
  method: string
  tool: string
}

export type SeriesCounts = SeriesName & RequestCounts

/** What a person or a program is told of a tally. */
export interface RequestSummary {
  total: number
  errors: number
  /** `errors / total`; 0 when there were none. */
  errorRate: number
  p50Ms: number
  p99Ms: number
}

/** Counts requests and their latencies. Until the first one it holds next to nothing, afterwards 4 KB. */
export class RequestTally {
  requests = 0
  errors = 0
  sumMs = 0
  #latencies: Float64Array | undefined

  /** One request. */
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

  /** By bucket; undefined as long as nothing was counted. */
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

/** The sum of parts. */
export function sumOf(parts: Iterable<RequestCounts>): RequestTally {
  const sum = new RequestTally()
  for (const part of parts) sum.add(part)
  return sum
}

/** The tally of that key, a new one if need be. */
export function tallyOf<Key>(tallies: Map<Key, RequestTally>, key: Key): RequestTally {
  const known = tallies.get(key)
  if (known) return known
  const tally = new RequestTally()
  tallies.set(key, tally)
  return tally
}
