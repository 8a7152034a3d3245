const RETRY_MS = 1000

/** Work that goes on after its request was answered; `close()` of the daemon waits for it. */
export class Background {
  readonly #running = new Set<Promise<void>>()
  /** Takes errors that no request waits for. */
  readonly report: (error: unknown) => void
  closing = false

  constructor(report: (error: unknown) => void) {
    this.report = report
  }

  run(work: () => Promise<unknown>): void {
    const run: Promise<void> = work()
      .then(() => {}, this.report)
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  /**
   * For an outcome that must be written down: does `work`, or throws and tries it again until it succeeds (a full disk
   * gets room again), and then does what follows. What the daemon's end leaves, reconciliation finds.
   */
  insist(work: () => void, afterwards: () => Promise<unknown>): void {
    try {
      work()
    } catch (error) {
      const timer = setInterval(() => {
        if (!this.closing && !succeeds(work)) return
        clearInterval(timer)
        if (!this.closing) this.run(afterwards)
      }, RETRY_MS)
      timer.unref()
      throw error
    }
  }

  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}

function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false // its first failure was told
  }
}
