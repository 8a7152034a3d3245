/** The streams of the load last up to 20 s, and V8 gives memory back after 30 s of quiet (src/shared/instances/idle-memory.ts). */
const REST_SECONDS = 75
const RESTS = 6
/** What is judged of a shorter run is no time for any. */
const LEAST_JUDGED_SECONDS = 600

/**
 * Times in which nobody begins anything. What a process holds then is what it keeps: at work, memory goes up and down by
 * what V8 and the allocator hold free, by more than a leak would add in the same time.
 */
export class Rests {
  /** Spent resting so far. */
  seconds = 0
  #over: Promise<void> | undefined
  readonly #due: number[]

  /** `from` and `until` in seconds of load: the first and the last one; short runs have none. */
  constructor(from: number, until: number) {
    const step = (until - from) / (RESTS - 1)
    const isLong = until - from >= LEAST_JUDGED_SECONDS
    this.#due = isLong ? Array.from({ length: RESTS }, (_, number) => from + number * step) : []
  }

  /** Resolves when nobody rests, at once when nobody does. */
  get over(): Promise<void> | undefined {
    return this.#over
  }

  /** When so much of the load is behind it that one is due: holds everybody back and calls `look` at its end. */
  async restWhenDue(elapsed: number, look: () => Promise<void>): Promise<void> {
    if (!(elapsed >= this.#due[0]!)) return
    this.#due.shift()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#over = promise
    const begin = performance.now()
    try {
      await new Promise(resolve => setTimeout(resolve, REST_SECONDS * 1000))
      await look()
    } finally {
      this.seconds += (performance.now() - begin) / 1000
      this.#over = undefined
      resolve()
    }
  }
}
