/** Measures how long a request waits for answers of its client. Questions may overlap. */
export class QuestionTime {
  #open = 0
  #openedAt = 0
  #ms = 0

  open(): void {
    if (this.#open === 0) this.#openedAt = performance.now()
    this.#open++
  }

  close(): void {
    this.#open--
    if (this.#open === 0) this.#ms += performance.now() - this.#openedAt
  }

  /** Time during which at least one question was open, so far. */
  get ms(): number {
    return this.#open === 0 ? this.#ms : this.#ms + performance.now() - this.#openedAt
  }
}
