const HOUR_SECONDS = 3600
const MAX_ADDRESSES = 10_000
const DEFAULT_PER_HOUR = 60
/** Limit for loopback addresses, which all users of a machine and all clients behind a local proxy share. */
const DEFAULT_PER_HOUR_SHARED = 600

export interface RegistrationLimit {
  /** Counts a registration. Returns 0 when it is accepted, otherwise the seconds until the next registration is accepted. */
  waitSeconds(clientAddress: string, now: number): number
}

interface Allowance {
  left: number
  /** Time at which `left` was computed, in seconds. */
  at: number
}

/**
 * Token bucket per client address, or per /64 network of IPv6: holds `perHour` registrations and refills within an hour. After
 * a client uses up all registrations, other clients at its address only wait for the next one: a minute with the default of 60.
 * The default is 600 for loopback and unknown addresses.
 */
export function createRegistrationLimit(perHour?: number): RegistrationLimit {
  const allowances = new Map<string, Allowance>()
  return {
    waitSeconds(clientAddress, now) {
      const limit = perHour ?? (isShared(clientAddress) ? DEFAULT_PER_HOUR_SHARED : DEFAULT_PER_HOUR)
      const network = networkOf(clientAddress)
      const { left, at } = allowances.get(network) ?? { left: limit, at: now }
      const available = Math.min(limit, left + (Math.max(0, now - at) * limit) / HOUR_SECONDS)
      const isAccepted = available >= 1
      makeRoom(allowances, network)
      allowances.set(network, { left: isAccepted ? available - 1 : available, at: now })
      return isAccepted ? 0 : Math.ceil(((1 - available) * HOUR_SECONDS) / limit)
    },
  }
}

/** Forgets the least recently used address when the maximum number is reached. */
function makeRoom(allowances: Map<string, Allowance>, network: string): void {
  allowances.delete(network)
  const [oldest] = allowances.keys()
  if (allowances.size >= MAX_ADDRESSES && oldest !== undefined) allowances.delete(oldest)
}

/**
 * First 64 bits of an IPv6 address, because hosts choose the remaining bits themselves (RFC 4291 2.5.1). Other addresses are
 * only converted to lower case.
 */
function networkOf(clientAddress: string): string {
  const address = clientAddress.toLowerCase().replace(/%.*$/, '')
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const all = [...first, ...Array<string>(zeros).fill('0'), ...last]
  return `${all
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

function isShared(clientAddress: string): boolean {
  return /^(?:|::1|(?:::ffff:)?127\.[\d.]+)$/.test(clientAddress)
}
