import {
  type AllowedDestination,
  formatDestination,
  type NetworkSetting,
  normalizeHost,
  parseDestination,
} from './destinations.ts'
import { isClosedAddress } from './own-addresses.ts'

/** Destinations that a deployment's code may reach. */
export interface NetworkSettings {
  /** Absent: all permitted addresses. */
  network?: NetworkSetting | undefined
  /** Permits private, loopback and link-local addresses. */
  allowPrivateNetwork: boolean
}

/** True when nothing is restricted. The code then needs no network namespace. */
export function isBorderless({ network, allowPrivateNetwork }: NetworkSettings): boolean {
  return allowPrivateNetwork && network === undefined
}

/** `private`: a private network. `unlisted`: not on the list. `closed`: the deployment has no network. */
export type RefusalReason = 'private' | 'unlisted' | 'closed'

/** A refused connection. */
export interface Refusal {
  reason: RefusalReason
  host: string
  port: number
}

/**
 * Decides what a deployment's code may connect to. Used by everything that enforces the network settings: the egress
 * process, the network functions of handler modules, and declared HTTP handlers.
 */
export class NetworkPolicy {
  readonly #isClosed: boolean
  readonly #allowed: readonly AllowedDestination[] | undefined
  readonly #refusesAddress: (address: string) => boolean

  /** `isPrivate`: true for addresses that need `allowPrivateNetwork`. */
  constructor({ network, allowPrivateNetwork }: NetworkSettings, isPrivate = isClosedAddress) {
    this.#isClosed = network === 'none'
    this.#allowed = typeof network === 'object' ? network.allow.map(requireDestination) : undefined
    this.#refusesAddress = allowPrivateNetwork ? () => false : isPrivate
  }

  /** Checks a name or address before it is resolved. */
  judgeHost(host: string, port: number): Refusal | undefined {
    const name = normalizeHost(host)
    if (this.#isClosed) return { reason: 'closed', host, port }
    if (this.#allowed && !this.#allowed.some(entry => matches(entry, name, port)))
      return { reason: 'unlisted', host, port }
    return undefined
  }

  /** Checks the resolved addresses of a host. One private address is enough to refuse it. */
  judgeAddresses(host: string, port: number, addresses: readonly string[]): Refusal | undefined {
    return addresses.some(this.#refusesAddress) ? { reason: 'private', host, port } : undefined
  }

  /** Checks a DNS lookup. A name outside the list could leak data to its name server. */
  judgeName(host: string): Refusal | undefined {
    const name = normalizeHost(host)
    if (this.#isClosed) return { reason: 'closed', host, port: 0 }
    if (this.#allowed && !this.#allowed.some(entry => matchesHost(entry, name)))
      return { reason: 'unlisted', host, port: 0 }
    return undefined
  }
}

/** `code` of the error for refused connections. */
export const REFUSED_CODE = 'ERR_NETWORK_REFUSED'

/** Message for the caller and the log. Names the setting that would permit the connection. */
export function describeRefusal({ reason, host, port }: Refusal): string {
  const destination = port === 0 ? host : formatDestination(host, port)
  switch (reason) {
    case 'private':
      return `The connection to ${destination} was refused: it leads to a private network. Set "allow_private_network": true for the deployment to permit it.`
    case 'unlisted':
      return `The connection to ${destination} was refused: it is not on the deployment's network list. Add "${destination}" to deploy.network.allow to permit it.`
    case 'closed':
      return `The connection to ${destination} was refused: the deployment has no network ("network": "none"). Set deploy.network to { "allow": ["${destination}"] } to permit it.`
  }
}

export function refusalError(refusal: Refusal): Error {
  return Object.assign(new Error(describeRefusal(refusal)), {
    code: REFUSED_CODE,
    host: refusal.host,
    port: refusal.port,
  })
}

/** Never throws for validated settings. */
export function requireDestination(entry: string): AllowedDestination {
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
