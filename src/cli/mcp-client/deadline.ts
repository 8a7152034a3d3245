/** Longer timers fire immediately (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Time limit of one request. */
export interface Deadline {
  /** Aborted by the caller's signal, or when the time is up. */
  signal: AbortSignal
  restart(): void
  end(): void
}

export function createDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const late = new AbortController()
  const timedOut = () => Object.assign(new Error('timed out'), { code: 'REQUEST_TIMEOUT' })
  const timer = setTimeout(() => late.abort(timedOut()), Math.min(timeoutMs, MAX_TIMER_MS))
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    restart: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  }
}
