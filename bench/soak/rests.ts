/** Streams last up to 20 s, and V8 releases memory after 30 s without work (src/shared/instances/idle-memory.ts). */
const REST_SECONDS = 75
const RESTS = 6
/** Shorter runs have no time for rests. */
const MIN_JUDGED_SECONDS = 600

/**
 * Pauses of the whole load. Memory at rest is what a process retains. Under load, memory varies with the free space of V8 and
 * the allocator by more than a leak would add in the same time.
 */
export class Rests {
  /** Total time spent in rests. */
  seconds = 0
  #over: Promise<void> | undefined
  readonly #due: number[]

  /** `from` and `until`: times of the first and last rest, in seconds of load. Short runs have none. */
  constructor(from: number, until: number) {
    const step = (until - from) / (RESTS - 1)
    const isLong = until - from >= MIN_JUDGED_SECONDS
    this.#due = isLong ? Array.from({ length: RESTS }, (_, number) => from + number * step) : []
  }

  /** Resolves at the end of the current rest. Undefined when there is none. */
  get over(): Promise<void> | undefined {
    return this.#over
  }

  /** Starts a rest if one is due at this time of load, and calls `look` at its end. */
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
