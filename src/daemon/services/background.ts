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

  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
