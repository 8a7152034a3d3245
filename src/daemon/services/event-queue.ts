/** Unbounded queue between a producer and one asynchronous reader. */
export class EventQueue<T> {
  readonly #waiting: T[] = []
  #ended = false
  #wake = () => {}

  /** Ignored after the end. */
  push(event: T): void {
    if (this.#ended) return
    this.#waiting.push(event)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *read(): AsyncGenerator<T> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!
      if (this.#ended) return
      await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }
}
