const BASE_MS = 100
const CAP_MS = 30_000

/**
 * Pause before a restart in milliseconds: none after the first failure in a row, then exponential with full jitter, so
 * that instances that crashed together do not restart together
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function restartDelayMs(failuresInARow: number, random: () => number = Math.random): number {
  if (failuresInARow <= 1) return 0
  return Math.round(random() * Math.min(CAP_MS, BASE_MS * 2 ** (failuresInARow - 1)))
}
