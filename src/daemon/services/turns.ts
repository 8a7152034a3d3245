/** Work under the same key runs one after the other, in the order it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const run = before.then(work, work)
    this.#last.set(key, run)
    try {
      return await run
    } finally {
      if (this.#last.get(key) === run) this.#last.delete(key)
    }
  }
}

/** At most so many pieces of work at once; the others wait in the order they came. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/** Runs `work` for every entry, at most `limit` at a time. */
export async function forEachBounded<T>(
  entries: readonly T[],
  limit: number,
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const rest = entries.values()
  const lane = async () => {
    for (const entry of rest) await work(entry)
  }
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, lane))
}
