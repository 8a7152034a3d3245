const WINDOW_SECONDS = 3600
const MAX_ADDRESSES = 10_000

export interface RegistrationLimit {
  /** Counts one registration. Seconds until the next is taken; 0: this one is. */
  waitSeconds(clientAddress: string, now: number): number
}

/** At most `perHour` registrations from one address. Where addresses are not known, all share one count. */
export function createRegistrationLimit(perHour: number): RegistrationLimit {
  let windowEnd = 0
  const counts = new Map<string, number>()
  return {
    waitSeconds(clientAddress, now) {
      if (now >= windowEnd) {
        counts.clear()
        windowEnd = now + WINDOW_SECONDS
      }
      // Addresses beyond those that are counted share one count too, so that many of them cost no memory.
      const key = counts.has(clientAddress) || counts.size < MAX_ADDRESSES ? clientAddress : ''
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count <= perHour ? 0 : windowEnd - now
    },
  }
}
