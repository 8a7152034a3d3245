/** So many failures within the window, with no healthy instance in between, are a crash loop. */
export const CRASH_LOOP = { failures: 5, windowMs: 60_000 } as const
/** An instance that ended by its own doing this early after it was ready has never really worked. */
const SETTLE_MS = 1000
/** After so long a crash is a first one again; so is being killed from outside, which says nothing of the next one. */
const STABLE_MS = 10_000
/** Sent by people and by other programs; a program's own faults end in SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP. */
const OUTSIDE_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

export interface Crash {
  /** Unix milliseconds. */
  at: number
  /** When it became ready; undefined when it never did. */
  readyAt: number | undefined
  signal: string | null
}

/** Counts the crashes of one deployment: those in a row for the back-off, those without health for the crash loop. */
export class CrashHistory {
  #inARow = 0
  #unhealthy: number[] = []

  /** Failures without health within the window, up to the last one. */
  get unhealthy(): number {
    return this.#unhealthy.length
  }

  /** Number of failures in a row, this one included, and whether that is a crash loop. */
  add(crash: Crash): { failuresInARow: number; isLoop: boolean } {
    const upMs = crash.readyAt === undefined ? 0 : crash.at - crash.readyAt
    const fromOutside = wasKilledAtWork(crash)
    this.#inARow = upMs >= STABLE_MS || fromOutside ? 1 : this.#inARow + 1
    if (upMs >= SETTLE_MS || fromOutside) this.#unhealthy = []
    else this.#unhealthy.push(crash.at)
    this.#unhealthy = this.#unhealthy.filter(at => at > crash.at - CRASH_LOOP.windowMs)
    return { failuresInARow: this.#inARow, isLoop: this.#unhealthy.length >= CRASH_LOOP.failures }
  }
}

function wasKilledAtWork({ readyAt, signal }: Crash): boolean {
  return readyAt !== undefined && signal !== null && OUTSIDE_SIGNALS.includes(signal)
}
