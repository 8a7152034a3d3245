export interface Rotation {
  rotationSeconds: number
  tokenTTL: number
}

/** A key is published so long before its time that whoever keeps the JWKS has fetched it by then. */
const PUBLISHED_AHEAD_SECONDS = 600

/** Numbers of the periods whose keys count at a time: the one to sign with, and those to publish, newest first. */
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

/** When no token signed in a period lives any more. */
export function periodEnd({ rotationSeconds, tokenTTL }: Rotation, period: number): number {
  return (period + 1) * rotationSeconds + tokenTTL + PUBLISHED_AHEAD_SECONDS
}
