import { ceil, min, performanceNow } from './intrinsics.ts'

/** Long-term output rate of a server, and the size of a burst. */
const BYTES_PER_SECOND = 256 * 1024
const BURST_BYTES = 1024 * 1024

/** Limits the rate of a server's output and counts what is dropped. */
export class OutputLimit {
  readonly #now: () => number
  #left = BURST_BYTES
  #filledAt: number
  #droppedLines = 0
  #droppedBytes = 0

  constructor(now: () => number = performanceNow) {
    this.#now = now
    this.#filledAt = now()
  }

  /** Returns false for output above the limit, and counts it. */
  allows(bytes: number): boolean {
    this.#fill()
    // After a drop, resumes when there is room for half a second of output. Otherwise, every other line would be dropped.
    const reserve = this.#droppedLines > 0 ? BYTES_PER_SECOND / 2 : 0
    if (this.#left >= bytes + reserve) {
      this.#left -= bytes
      return true
    }
    this.#droppedLines++
    this.#droppedBytes += bytes
    return false
  }

  /** Sentence about output dropped since the last report. Undefined when none was dropped. */
  takeReport(): string | undefined {
    if (this.#droppedLines === 0) return undefined
    const report = `${this.#droppedLines} lines (${ceil(this.#droppedBytes / 1024)} KB) of output were dropped (limit ${BYTES_PER_SECOND / 1024} KB per second)`
    this.#droppedLines = 0
    this.#droppedBytes = 0
    return report
  }

  #fill(): void {
    const now = this.#now()
    this.#left = min(BURST_BYTES, this.#left + ((now - this.#filledAt) / 1000) * BYTES_PER_SECOND)
    this.#filledAt = now
  }
}
