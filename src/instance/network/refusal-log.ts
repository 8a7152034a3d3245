const QUIET_MS = 600_000
const MAX_LINES = 50

/** Logs each refusal at most once in ten minutes, and at most {@link MAX_LINES} different ones. */
export class RefusalLog {
  readonly #loggedAt = new Map<string, number>()
  readonly #write: (message: string) => void

  constructor(write: (message: string) => void) {
    this.#write = write
  }

  add(message: string): void {
    const now = performance.now()
    const last = this.#loggedAt.get(message)
    if (last !== undefined && now - last < QUIET_MS) return
    if (last === undefined && this.#loggedAt.size >= MAX_LINES) return
    this.#loggedAt.set(message, now)
    this.#write(message)
  }
}
