export interface Rotation {
  rotationSeconds: number
  tokenTTL: number
}

/** A key is published this long before its period, so that caches of the JWKS have it in time. */
const PUBLISHED_AHEAD_SECONDS = 600

/** Periods of the current signing key and of all published keys, newest first. */
export function keyPeriods(
  { rotationSeconds, tokenTTL }: Rotation,
  now: number,
): { current: number; published: number[] } {
  const period = (time: number) => Math.floor(time / rotationSeconds)
  const oldest = period(now - tokenTTL)
  const newest = period(now + PUBLISHED_AHEAD_SECONDS)
  return {
    current: period(now),
    published: Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index),
  }
}

/** Time by which all tokens signed in a period have expired, with a margin. */
export function periodEnd({ rotationSeconds, tokenTTL }: Rotation, period: number): number {
  return (period + 1) * rotationSeconds + tokenTTL + PUBLISHED_AHEAD_SECONDS
}
