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
