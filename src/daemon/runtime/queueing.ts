import type { SeriesCounts } from '../../shared/request-tally.ts'

/** The mean of fewer requests says little of what is usual. */
const LEAST_REQUESTS = 5

/**
 * Knows how long the requests of each tool and method take when they do not wait for others: the least mean of any report.
 * What they take longer than that they have waited, and by Little's law (https://en.wikipedia.org/wiki/Little%27s_law)
 * that share of their time is the share of them that waits at any moment.
 */
export class Queueing {
  readonly #quietMs = new Map<string, number>()

  /** The share of the time of these requests that was waiting, 0 to 1. */
  waitingShare(series: readonly Pick<SeriesCounts, 'method' | 'tool' | 'requests' | 'sumMs'>[]): number {
    let took = 0
    let quiet = 0
    for (const { method, tool, requests, sumMs } of series) {
      if (requests === 0) continue
      took += sumMs
      quiet += Math.min(sumMs, requests * this.#learn(`${method} ${tool}`, requests, sumMs / requests))
    }
    return took > 0 ? 1 - quiet / took : 0
  }

  /** What is usual, in milliseconds; what is seen for the first time counts as usual. */
  #learn(name: string, requests: number, meanMs: number): number {
    const known = this.#quietMs.get(name)
    if (requests >= LEAST_REQUESTS && (known === undefined || meanMs < known)) {
      this.#quietMs.set(name, meanMs)
      return meanMs
    }
    return known ?? meanMs
  }
}
