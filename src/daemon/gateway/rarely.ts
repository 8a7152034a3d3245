const EVERY_MS = 60_000

/** Tells what may be wrong with each of very many connections at most once a minute. */
export function rarely(tell: ((error: Error) => void) | undefined): (error: Error) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return error => {
    const now = performance.now()
    if (now - toldAt < EVERY_MS) return
    toldAt = now
    tell?.(error)
  }
}
