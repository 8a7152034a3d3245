const REPORT_MS = 1000
/** Delay before the first report after a quiet period. Collects changes that happen in quick succession. */
const GATHER_MS = 50

/** Calls `send` with the changes, at most once a second. */
export class ChangeReporter<T> {
  readonly #send: (changed: T[]) => void
  #changed = new Set<T>()
  #timer: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(send: (changed: T[]) => void) {
    this.#send = send
  }

  changed(subject: T): void {
    this.#changed.add(subject)
    this.#timer ??= setTimeout(
      () => this.#report(),
      Math.max(GATHER_MS, this.#sentAt + REPORT_MS - performance.now()),
    ).unref()
  }

  forget(subject: T): void {
    this.#changed.delete(subject)
  }

  #report(): void {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    if (changed.length === 0) return
    this.#sentAt = performance.now()
    this.#send(changed)
  }
}
