import type { SeriesCounts } from '../../../shared/instances/request-tally.ts'

/** The mean of fewer requests is too noisy. */
const MIN_REQUESTS = 5

/**
 * Estimates how many active requests wait for others. The base duration of each tool and method is the lowest mean of any report.
 * Any time beyond that is waiting time. By Little's law (https://en.wikipedia.org/wiki/Little%27s_law) the waiting share of the
 * time is the share of requests that wait.
 */
export class QueueEstimator {
  readonly #baseMs = new Map<string, number>()

  /** Share of these requests' time that was spent waiting, 0 to 1. */
  waitingShare(series: readonly Pick<SeriesCounts, 'method' | 'tool' | 'requests' | 'sumMs'>[]): number {
    let totalMs = 0
    let baseMs = 0
    for (const { method, tool, requests, sumMs } of series) {
      if (requests === 0) continue
      totalMs += sumMs
      baseMs += Math.min(sumMs, requests * this.#learn(`${method} ${tool}`, requests, sumMs / requests))
    }
    return totalMs > 0 ? 1 - baseMs / totalMs : 0
  }

  /** Returns the base duration. While none is known, the mean of this report counts as the base. */
  #learn(name: string, requests: number, meanMs: number): number {
    const known = this.#baseMs.get(name)
    if (requests >= MIN_REQUESTS && (known === undefined || meanMs < known)) {
      this.#baseMs.set(name, meanMs)
      return meanMs
    }
    return known ?? meanMs
  }
}
