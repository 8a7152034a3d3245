const INTERVAL_MS = 60_000

/** Limits a report to one call per minute, for errors that may occur on each of very many connections. */
export function oncePerMinute(report: ((error: Error) => void) | undefined): (error: Error) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return error => {
    const now = performance.now()
    if (now - reportedAt < INTERVAL_MS) return
    reportedAt = now
    report?.(error)
  }
}
