import { signal } from '@preact/signals'
import type { LogLine } from './log-text.ts'

const CAPACITY = 100_000
/** Removing single lines of a long list is slow, so a tenth is removed at once. */
const REMOVED = CAPACITY / 10

/** The newest lines of a log. Lines that arrive together are shown together. */
export class LogBuffer {
  /** Changes with the lines, at most once per frame. */
  readonly size = signal(0)
  /** Number of lines that were removed at the beginning. */
  removed = 0
  readonly #schedule: (flush: () => void) => void
  #lines: LogLine[] = []
  #waiting: LogLine[] = []

  constructor(schedule: (flush: () => void) => void = flush => requestAnimationFrame(flush)) {
    this.#schedule = schedule
  }

  add(line: LogLine): void {
    this.#waiting.push(line)
    if (this.#waiting.length === 1) this.#schedule(() => this.#flush())
  }

  slice(from: number, to: number): readonly LogLine[] {
    return this.#lines.slice(from, to)
  }

  at(index: number): LogLine | undefined {
    return this.#lines[index]
  }

  #flush(): void {
    for (const line of this.#waiting) this.#lines.push(line)
    this.#waiting = []
    const excess = this.#lines.length - CAPACITY
    if (excess > 0) {
      const count = excess + REMOVED
      this.#lines = this.#lines.slice(count)
      this.removed += count
    }
    this.size.value = this.#lines.length + this.removed
  }
}
