import {
  type AllowedDestination,
  formatDestination,
  type NetworkSetting,
  normalizeHost,
  parseDestination,
} from './destinations.ts'
import { isClosedAddress } from './own-addresses.ts'

/** What a deployment's code may reach. */
export interface NetworkSettings {
  /** Absent: everything that its addresses permit. */
  network?: NetworkSetting | undefined
  /** Private, loopback and link-local addresses too. */
  allowPrivateNetwork: boolean
}

/** Nothing restricts what the code may reach, so that it needs no network of its own. */
export function isBorderless({ network, allowPrivateNetwork }: NetworkSettings): boolean {
  return allowPrivateNetwork && network === undefined
}

/** `private`: it leads to a private network. `unlisted`: the list lacks it. `closed`: the deployment has no network. */
export type RefusalReason = 'private' | 'unlisted' | 'closed'

/** Why a connection was not made. */
export interface Refusal {
  reason: RefusalReason
  host: string
  port: number
}

/**
 * Decides what a deployment's code may connect to. Everything that enforces the network border asks here: the egress
 * process, the functions that handler modules get, and declared HTTP handlers.
 */
export class NetworkPolicy {
  readonly #isClosed: boolean
  readonly #allowed: readonly AllowedDestination[] | undefined
  readonly #refusesAddress: (address: string) => boolean

  /** `isPrivate`: which addresses are closed unless the deployment opens private networks. */
  constructor({ network, allowPrivateNetwork }: NetworkSettings, isPrivate = isClosedAddress) {
    this.#isClosed = network === 'none'
    this.#allowed = typeof network === 'object' ? network.allow.map(requireDestination) : undefined
    this.#refusesAddress = allowPrivateNetwork ? () => false : isPrivate
  }

  /** Before the name is resolved. `host`: a name or an address. */
  judgeHost(host: string, port: number): Refusal | undefined {
    const name = normalizeHost(host)
    if (this.#isClosed) return { reason: 'closed', host, port }
    if (this.#allowed && !this.#allowed.some(entry => matches(entry, name, port)))
      return { reason: 'unlisted', host, port }
    return undefined
  }

  /** After it: `addresses` are all addresses of the host, one that is private closes the name. */
  judgeAddresses(host: string, port: number, addresses: readonly string[]): Refusal | undefined {
    return addresses.some(this.#refusesAddress) ? { reason: 'private', host, port } : undefined
  }

  /** Whether the name may be resolved: a name that no entry has could carry data to its name server. */
  judgeName(host: string): Refusal | undefined {
    const name = normalizeHost(host)
    if (this.#isClosed) return { reason: 'closed', host, port: 0 }
    if (this.#allowed && !this.#allowed.some(entry => matchesHost(entry, name)))
      return { reason: 'unlisted', host, port: 0 }
    return undefined
  }
}

/** Code of the error that refused code gets. */
export const REFUSED = 'ERR_NETWORK_REFUSED'

/** Sentence for the caller and the log: what was refused, and the setting that permits it. */
export function describeRefusal({ reason, host, port }: Refusal): string {
  const destination = port === 0 ? host : formatDestination(host, port)
  switch (reason) {
    case 'private':
      return `The connection to ${destination} was refused: it leads to a private network. Set "allow_private_network": true for the deployment to permit it.`
    case 'unlisted':
      return `The connection to ${destination} was refused: the deployment's network list does not have it. Add "${destination}" to deploy.network.allow to permit it.`
    case 'closed':
      return `The connection to ${destination} was refused: the deployment has no network ("network": "none"). Set deploy.network to { "allow": ["${destination}"] } to permit it.`
  }
}

export function refusalError(refusal: Refusal): Error {
  return Object.assign(new Error(describeRefusal(refusal)), {
    code: REFUSED,
    host: refusal.host,
    port: refusal.port,
  })
}

/** Settings are validated when they are given. */
function requireDestination(entry: string): AllowedDestination {
  const destination = parseDestination(entry)
  if (typeof destination === 'string') throw new Error(destination)
  return destination
}

function matches(entry: AllowedDestination, host: string | undefined, port: number): boolean {
  return (entry.port === undefined || entry.port === port) && matchesHost(entry, host)
}

function matchesHost(entry: AllowedDestination, host: string | undefined): boolean {
  if (host === undefined) return false
  return entry.isWildcard ? host.endsWith(entry.host) && host.length > entry.host.length : host === entry.host
}
