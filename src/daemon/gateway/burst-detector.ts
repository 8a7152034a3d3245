const WINDOW_MS = 250
const CONNECTIONS = 50

/** Detects a burst of connections: 50 within a quarter of a second. */
export class BurstDetector {
  #since = 0
  #connections = 0

  /** Counts a connection. True once per quarter of a second with a burst. */
  count(): boolean {
    const now = performance.now()
    if (now - this.#since > WINDOW_MS) {
      this.#since = now
      this.#connections = 0
    }
    return ++this.#connections === CONNECTIONS
  }
}
