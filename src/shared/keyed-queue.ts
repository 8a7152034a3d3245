/** Runs tasks with the same key sequentially. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** True while a task with this key runs or waits. */
  isBusy(key: string): boolean {
    return this.#last.has(key)
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve()
    const result = previous.then(task, task)
    this.#last.set(key, result)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === result) this.#last.delete(key)
    }
  }
}
