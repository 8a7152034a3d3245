const WINDOW_MS = 100
const CONNECTIONS = 50

/** Counts connections: 50 within a tenth of a second are a rush, told once for each such tenth. */
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
