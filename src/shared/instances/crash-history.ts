/** Number of failures within the window, without a healthy instance in between, that count as a crash loop. */
export const CRASH_LOOP = { failures: 5, windowMs: 60_000 } as const
/** An instance that exits sooner than this after it became ready does not count as healthy. */
const SETTLE_MS = 1000
/** A crash after this uptime resets the back-off. A kill from outside also does, because it says nothing about the server. */
const STABLE_MS = 10_000
/** Signals from people and other programs. Faults in the program raise SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE or SIGTRAP. */
const OUTSIDE_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

export interface Crash {
  /** Unix milliseconds. */
  at: number
  /** Unix milliseconds. Undefined if it never became ready. */
  readyAt: number | undefined
  signal: string | null
}

/** Counts the crashes of a deployment, for the back-off and to detect crash loops. */
export class CrashHistory {
  #inARow = 0
  #unhealthy: number[] = []

  /** Failures within the window without a healthy instance. */
  get unhealthy(): number {
    return this.#unhealthy.length
  }

  /** `failuresInARow` includes this crash. */
  add(crash: Crash): { failuresInARow: number; isLoop: boolean } {
    const upMs = crash.readyAt === undefined ? 0 : crash.at - crash.readyAt
    const fromOutside = wasKilledFromOutside(crash)
    this.#inARow = upMs >= STABLE_MS || fromOutside ? 1 : this.#inARow + 1
    if (upMs >= SETTLE_MS || fromOutside) this.#unhealthy = []
    else this.#unhealthy.push(crash.at)
    this.#unhealthy = this.#unhealthy.filter(at => at > crash.at - CRASH_LOOP.windowMs)
    return { failuresInARow: this.#inARow, isLoop: this.#unhealthy.length >= CRASH_LOOP.failures }
  }
}

function wasKilledFromOutside({ readyAt, signal }: Crash): boolean {
  return readyAt !== undefined && signal !== null && OUTSIDE_SIGNALS.includes(signal)
}
