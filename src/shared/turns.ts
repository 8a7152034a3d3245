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
