import type { Clock } from '../clock.ts'

/** Maximum time between two checks. The system clock may be set forward, so a single timer would be late. */
const CHECK_MS = 60_000

/** Aborts open streams when the key or console session that opened them expires or is revoked. */
export class Lifetimes {
  readonly #clock: Clock
  readonly #open = new Map<string, AbortController>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Aborts when the key or session expires or `end` is called. The key or session must exist. */
  signal(id: string, expiresAt: string | null): AbortSignal {
    const known = this.#open.get(id)
    if (known) return known.signal
    const controller = new AbortController()
    this.#open.set(id, controller)
    if (expiresAt !== null) this.#watch(id, expiresAt, controller.signal)
    return controller.signal
  }

  end(id: string): void {
    this.#open.get(id)?.abort()
    this.#open.delete(id)
  }

  #watch(id: string, expiresAt: string, signal: AbortSignal): void {
    if (signal.aborted) return
    const leftMs = Date.parse(expiresAt) - Date.parse(this.#clock.wallTime())
    if (leftMs <= 0) return this.end(id)
    setTimeout(() => this.#watch(id, expiresAt, signal), Math.min(leftMs, CHECK_MS)).unref()
  }
}
