const HOUR_SECONDS = 3600
const MAX_ADDRESSES = 10_000
const DEFAULT_PER_HOUR = 60
/** All users and programs of a machine share its loopback address, and so do the clients behind a proxy on it. */
const DEFAULT_PER_HOUR_SHARED = 600

export interface RegistrationLimit {
  /** Counts one registration. Seconds until the next is taken; 0: this one is. */
  waitSeconds(clientAddress: string, now: number): number
}

interface Allowance {
  left: number
  /** Time of `left`, in seconds. */
  at: number
}

/**
 * At most `perHour` registrations from one address at once, and then as many as come back over an hour, one after the other:
 * a client that uses them up keeps others with that address out for a minute, not for an hour. 60 when absent, and 600 from
 * loopback and unknown addresses.
 */
export function createRegistrationLimit(perHour?: number): RegistrationLimit {
  const allowances = new Map<string, Allowance>()
  return {
    waitSeconds(clientAddress, now) {
      const most = perHour ?? (isShared(clientAddress) ? DEFAULT_PER_HOUR_SHARED : DEFAULT_PER_HOUR)
      const { left, at } = allowances.get(clientAddress) ?? { left: most, at: now }
      const available = Math.min(most, left + (Math.max(0, now - at) * most) / HOUR_SECONDS)
      const isTaken = available >= 1
      makeRoom(allowances, clientAddress)
      allowances.set(clientAddress, { left: isTaken ? available - 1 : available, at: now })
      return isTaken ? 0 : Math.ceil(((1 - available) * HOUR_SECONDS) / most)
    },
  }
}

/** Forgets the address that was not heard of for the longest time. */
function makeRoom(allowances: Map<string, Allowance>, clientAddress: string): void {
  allowances.delete(clientAddress)
  const [oldest] = allowances.keys()
  if (allowances.size >= MAX_ADDRESSES && oldest !== undefined) allowances.delete(oldest)
}

function isShared(clientAddress: string): boolean {
  return /^(?:|::1|(?:::ffff:)?127\.[\d.]+)$/.test(clientAddress)
}
