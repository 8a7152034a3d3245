/** Wakes one waiting loop. A call while the loop is not waiting makes the next wait return immediately. */
export class WakeUp {
  #called = Promise.withResolvers<void>()

  readonly call = (): void => this.#called.resolve()

  async wait(): Promise<void> {
    await this.#called.promise
    this.#called = Promise.withResolvers()
  }
}

/** Values of a generator, read one ahead so that a loop can wait for other things as well. */
export class Ticks<T> {
  readonly #values: AsyncGenerator<T> | undefined
  readonly #onReady: () => void
  #ready: { value: T } | undefined
  #failure: { error: unknown } | undefined

  constructor(values: AsyncGenerator<T> | undefined, onReady: () => void) {
    this.#values = values
    this.#onReady = onReady
    this.#next()
  }

  /** The next value. Undefined if there is none yet. Throws the error of the generator. */
  take(): T | undefined {
    if (this.#failure) throw this.#failure.error
    const { value } = this.#ready ?? {}
    if (this.#ready) this.#next()
    return value
  }

  stop(): void {
    void this.#values?.return(undefined)
  }

  #next(): void {
    this.#ready = undefined
    this.#values?.next().then(
      ({ done, value }) => {
        if (!done) this.#ready = { value }
        this.#onReady()
      },
      error => {
        this.#failure = { error }
        this.#onReady()
      },
    )
  }
}
