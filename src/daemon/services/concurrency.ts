/** Limits how many tasks run concurrently. Others queue in order of arrival. */
export class Semaphore {
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
export async function forEachConcurrently<T>(
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
