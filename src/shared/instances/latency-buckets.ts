/**
 * Log-linear buckets of latencies from a microsecond to 35 minutes, as in HDR histograms (http://hdrhistogram.org): 16 per
 * doubling, so that quantiles are accurate to 3.2 %. The bucket is the position of the highest bit and the four bits
 * after it, so counting needs no logarithm.
 */

const SUB_BUCKETS = 16
const SUB_BITS = 4
const HIGHEST_US = 2 ** 31 - 1

export const LATENCY_BUCKETS = (31 - SUB_BITS + 1) * SUB_BUCKETS

export function latencyBucket(ms: number): number {
  const us = ms * 1000 < HIGHEST_US ? (ms * 1000) | 0 : HIGHEST_US
  if (us < SUB_BUCKETS) return Math.max(us, 0)
  const exponent = 31 - Math.clz32(us)
  return ((exponent - SUB_BITS) << SUB_BITS) + (us >>> (exponent - SUB_BITS))
}

/** Lower bound of a bucket in milliseconds, and upper bound of the previous one. */
export function latencyBoundMs(bucket: number): number {
  if (bucket < SUB_BUCKETS) return bucket / 1000
  const shift = (bucket >> SUB_BITS) - 1
  return ((SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) * 2 ** shift) / 1000
}

/** Latency in milliseconds that a share (0 to 1) of all counted requests does not exceed. 0 without requests. */
export function latencyQuantileMs(counts: ArrayLike<number> | undefined, share: number): number {
  if (!counts) return 0
  let total = 0
  for (let bucket = 0; bucket < counts.length; bucket++) total += counts[bucket]!
  if (total === 0) return 0
  let seen = 0
  for (let bucket = 0; bucket < counts.length; bucket++) {
    seen += counts[bucket]!
    if (seen >= share * total) return middleMs(bucket)
  }
  return middleMs(counts.length - 1)
}

function middleMs(bucket: number): number {
  return Math.round((latencyBoundMs(bucket) + latencyBoundMs(bucket + 1)) * 500) / 1000
}
