import { formatElapsed, formatSeconds } from './relative-time.ts'

/** Shorter than the 30 days before expiry at which ACME clients usually renew, so that a note means a missed renewal. */
const SOON_MS = 14 * 86_400_000

export interface ExpiryNote {
  isExpired: boolean
  /** `expired 3 d ago` or `in 9 d`. */
  text: string
}

/** Note on an expiry time that has passed or is near. Undefined for a later time. */
export function expiryNote(expiry: string, nowMs = Date.now()): ExpiryNote | undefined {
  const leftMs = Date.parse(expiry) - nowMs
  if (leftMs <= 0) return { isExpired: true, text: `expired ${formatElapsed(expiry, nowMs)} ago` }
  return leftMs < SOON_MS ? { isExpired: false, text: `in ${formatSeconds(leftMs / 1000)}` } : undefined
}
