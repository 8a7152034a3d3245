import { toHostingError } from '../../shared/errors.ts'

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

  /** For what the runtime tells: an error of the database is not the one's who tells, and must not end the daemon. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.report(error)
    }
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

  /**
   * The same for work that waits for what it writes down: gives what `work` gives, however long the disk takes nothing.
   * Throws what is no fault of the disk, and the disk's fault once the daemon ends.
   */
  async persist<T>(work: () => T | Promise<T>): Promise<T> {
    for (let told = false; ; told = true) {
      try {
        return await work()
      } catch (error) {
        if (toHostingError(error).code !== 'UNAVAILABLE' || this.closing) throw error
        if (!told) this.report(error)
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Waits for what runs now, but no longer than that. */
  async settleWithin(limitMs: number): Promise<void> {
    const limit = new Promise(resolve => setTimeout(resolve, limitMs).unref())
    await Promise.race([limit, Promise.all(this.#running)])
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
