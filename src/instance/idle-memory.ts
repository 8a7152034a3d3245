const QUIET_MS = 3000

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Gives the system back what V8 holds in reserve (a fifth of an instance's memory) once the process has been quiet for a
 * while. The pause of some 15 ms then hits nobody, and an idle process does nothing more.
 */
export class IdleMemory {
  readonly #collect: Collect | undefined
  #timer: NodeJS.Timeout | undefined

  constructor() {
    // There with --expose-gc only; taken away, because the code of a server has no business with it.
    const scope = globalThis as { gc?: Collect | undefined }
    this.#collect = scope.gc
    scope.gc = undefined
  }

  /** Something happened: wait for the next quiet. */
  touched(): void {
    if (!this.#collect) return
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#giveBack(), QUIET_MS).unref()
  }

  #giveBack(): void {
    this.#timer = undefined
    this.#collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}
