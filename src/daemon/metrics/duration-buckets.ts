import { latencyBoundMs } from '../../shared/instances/latency-buckets.ts'

/** Upper bounds in seconds. The first is half a millisecond, because declared tools can answer that fast. */
const BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

/** Number of requests up to each bound, from pairs of bucket and count in ascending order. */
export function durationBuckets(latencies: readonly number[]): { le: number; count: number }[] {
  let at = 0
  let count = 0
  return BOUNDS_SECONDS.map(le => {
    for (; at + 1 < latencies.length && latencyBoundMs(latencies[at]! + 1) <= le * 1000; at += 2)
      count += latencies[at + 1]!
    return { le, count }
  })
}
