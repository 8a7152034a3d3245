const WINDOW_MS = 250
const CONNECTIONS = 50

/** Counts connections: 50 within a quarter of a second are a rush, told once for each such quarter. */
export class Rush {
  #since = 0
  #count = 0

  /** Counts one; true when it is the one that makes a rush. */
  isOn(): boolean {
    const now = performance.now()
    if (now - this.#since > WINDOW_MS) {
      this.#since = now
      this.#count = 0
    }
    return ++this.#count === CONNECTIONS
  }
}
