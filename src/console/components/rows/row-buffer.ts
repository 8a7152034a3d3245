import { signal } from '@preact/signals'

/** The newest rows of an endless stream. Rows that arrive together are rendered together. */
export class RowBuffer<T> {
  /** Changes with the rows. New rows change it at most once per frame. */
  readonly version = signal(0)
  readonly #capacity: number
  readonly #schedule: (flush: () => void) => void
  #first = 0
  #rows: T[] = []
  #waiting: T[] = []

  constructor(
    capacity: number,
    schedule: (flush: () => void) => void = flush => requestAnimationFrame(flush),
  ) {
    this.#capacity = capacity
    this.#schedule = schedule
  }

  /** Number of the oldest row. A row keeps its number, which is negative for rows that were added before all others. */
  get first(): number {
    return this.#first
  }

  get count(): number {
    return this.#rows.length
  }

  add(row: T): void {
    this.#waiting.push(row)
    if (this.#waiting.length === 1) this.#schedule(() => this.#flush())
  }

  /** Adds rows before all others. Expects the newest first, and drops rows beyond the capacity. */
  addOlder(rows: readonly T[]): void {
    const kept = rows.slice(0, this.#capacity - this.#rows.length)
    this.#rows = [...kept.toReversed(), ...this.#rows]
    this.#first -= kept.length
    this.version.value++
  }

  at(number: number): T | undefined {
    return this.#rows[number - this.#first]
  }

  /** Number of the newest row that matches. Undefined if there is none. */
  numberOf(matches: (row: T) => boolean): number | undefined {
    const index = this.#rows.findLastIndex(matches)
    return index === -1 ? undefined : index + this.#first
  }

  #flush(): void {
    for (const row of this.#waiting) this.#rows.push(row)
    this.#waiting = []
    const excess = this.#rows.length - this.#capacity
    if (excess > 0) {
      // Removing rows one at a time from a long list is slow, so an extra tenth of the capacity is removed.
      const count = excess + this.#capacity / 10
      this.#rows = this.#rows.slice(count)
      this.#first += count
    }
    this.version.value++
  }
}
