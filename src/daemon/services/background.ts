import { toHostingError } from '../../shared/errors.ts'

const RETRY_MS = 1000

/** Work that continues after its request was answered. The daemon waits for it when it closes. */
export class Background {
  readonly #running = new Set<Promise<void>>()
  /** Logs an error that no request waits for. */
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

  /** Logs an error of `work`, because a database error must neither reach the runtime nor stop the daemon. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.report(error)
    }
  }

  /**
   * Writes an outcome that must not be lost. When `work` fails, for example on a full disk, throws the error, repeats `work`
   * in the background until it succeeds, and then runs `afterwards`. If the daemon stops first, reconciliation does the rest.
   */
  retryUntilWritten(work: () => void, afterwards: () => Promise<unknown>): void {
    try {
      work()
    } catch (error) {
      const timer = setInterval(() => {
        if (!this.closing && !runsWithoutError(work)) return
        clearInterval(timer)
        if (!this.closing) this.run(afterwards)
      }, RETRY_MS)
      timer.unref()
      throw error
    }
  }

  /**
   * Repeats `work` until it succeeds, and returns its result. Throws errors other than UNAVAILABLE immediately, and UNAVAILABLE
   * once the daemon closes.
   */
  async persist<T>(work: () => T | Promise<T>): Promise<T> {
    for (let isReported = false; ; isReported = true) {
      try {
        return await work()
      } catch (error) {
        if (toHostingError(error).code !== 'UNAVAILABLE' || this.closing) throw error
        if (!isReported) this.report(error)
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Waits for the current work, at most `limitMs`. */
  async settleWithin(limitMs: number): Promise<void> {
    const limit = new Promise(resolve => setTimeout(resolve, limitMs).unref())
    await Promise.race([limit, Promise.all(this.#running)])
  }

  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}

function runsWithoutError(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false // the first error was thrown to the caller
  }
}
