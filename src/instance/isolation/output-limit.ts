import { ceil, min, performanceNow } from './intrinsics.ts'

/** What a server may print in the long run, and at once. */
const BYTES_A_SECOND = 256 * 1024
const BURST_BYTES = 1024 * 1024

/** Lets through what a server prints, up to a rate, and counts the rest. */
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

  /** False: it is too much, and counted. */
  takes(bytes: number): boolean {
    this.#fill()
    // After a flood not every other line: a part of a second's worth first.
    const least = this.#droppedLines > 0 ? BYTES_A_SECOND / 2 : 0
    if (this.#left >= bytes + least) {
      this.#left -= bytes
      return true
    }
    this.#droppedLines++
    this.#droppedBytes += bytes
    return false
  }

  /** What was dropped since the last time, as a sentence; undefined when nothing was. */
  takeReport(): string | undefined {
    if (this.#droppedLines === 0) return undefined
    const report = `${this.#droppedLines} lines (${ceil(this.#droppedBytes / 1024)} KB) of its output were dropped: it printed more than ${BYTES_A_SECOND / 1024} KB a second`
    this.#droppedLines = 0
    this.#droppedBytes = 0
    return report
  }

  #fill(): void {
    const now = this.#now()
    this.#left = min(BURST_BYTES, this.#left + ((now - this.#filledAt) / 1000) * BYTES_A_SECOND)
    this.#filledAt = now
  }
}
