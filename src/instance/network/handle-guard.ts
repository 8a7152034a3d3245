import { networkInterfaces } from 'node:os'
import { type NetworkSettings, requireDestination } from '../../shared/network/network-policy.ts'
import { CLOSED_NETWORKS } from '../../shared/network/special-addresses.ts'
import { denyAll, replace, SealError } from '../isolation/denied.ts'
import { apply, bare, ownKeys, slice } from '../isolation/intrinsics.ts'
import { resolverPrototype, tcpPrototype, udpPrototype } from '../isolation/native-handles.ts'
import { type AddressGroups, addressKey, isMapped, parseAddress, sharesPrefix } from './numeric-address.ts'

type NativeMethod = (this: object, ...args: unknown[]) => unknown

interface SocketName {
  address: string
  port: number
}

interface Network {
  groups: AddressGroups
  bits: number
}

/** Entry of the deployment's allow list. `groups` is set when the host is an address. */
interface ListedHost {
  host: string
  isWildcard: boolean
  port: number | undefined
  groups: AddressGroups | undefined
}

const EACCES = -13
const LOOPBACK: Network = { groups: parseAddress('127.0.0.0')!, bits: 96 + 8 }
const LOOPBACK_IPV6: Network = { groups: parseAddress('::1')!, bits: 128 }
const UDP = ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']

/**
 * Enforces the network border at Node's native handles if there is no network namespace, because every connection goes through
 * them. User code can reach them too, so nothing here looks up a method that user code could have replaced.
 */
export class HandleGuard {
  readonly #isClosed: boolean
  readonly #allowsPrivate: boolean
  /** Allowed destination addresses and ports. Undefined when unrestricted. */
  readonly #granted: Record<string, true> | undefined
  readonly #listed: readonly ListedHost[]
  readonly #always: Record<string, true> = bare()
  readonly #closed: Record<number, Network> = bare()
  readonly #closedCount: number
  /** Handles that listen, or have listened. */
  readonly #listening: Record<number, object> = bare()
  #listeningCount = 0
  #nameOf: ((handle: object) => SocketName | undefined) | undefined

  constructor({ network, allowPrivateNetwork }: NetworkSettings) {
    this.#isClosed = network === 'none'
    this.#allowsPrivate = allowPrivateNetwork
    this.#granted = network === undefined ? undefined : bare()
    this.#listed = typeof network === 'object' ? network.allow.map(toListed) : []
    this.#closedCount = CLOSED_NETWORKS.length
    for (let at = 0; at < CLOSED_NETWORKS.length; at++) this.#closed[at] = toNetwork(CLOSED_NETWORKS[at]!)
  }

  /** Guards TCP handles, and removes UDP and the native resolver. Throws a SealError if any of these is not found. */
  install(): void {
    const tcp = tcpPrototype() as Record<string, NativeMethod | undefined>
    for (const name of ['connect', 'connect6'] as const) {
      const connect = requireNative(tcp, name)
      const guard = this
      replace(tcp, name, function (this: object, request: unknown, address: unknown, port: unknown) {
        if (typeof address !== 'string' || typeof port !== 'number') return EACCES
        return guard.permits(address, port) ? apply(connect, this, [request, address, port]) : EACCES
      })
    }
    ignoreFlags(tcp)
    this.#trackListeners(tcp)
    denyAll(udpPrototype(), UDP, 'udp')
    const resolver = resolverPrototype()
    const queries = Object.getOwnPropertyNames(resolver).filter(name => name.startsWith('query'))
    denyAll(resolver, [...queries, 'getHostByAddr'], 'resolver')
  }

  /**
   * Permits connections to an address of a name, or to a literal address. Does nothing unless the name is
   * on the deployment's list, because user code may have bypassed the policy's check.
   */
  grant(name: string, address: string, port: number): void {
    if (!this.#granted || typeof name !== 'string' || typeof address !== 'string') return
    const groups = parseAddress(address)
    if (groups && this.#lists(name, port)) this.#granted[`${addressKey(groups)}${port}`] = true
  }

  /** Permits connections to an address regardless of the settings, for this program's own connections. */
  grantAlways(address: string, port: number): void {
    this.#always[`${addressKey(parseAddress(address)!)}${port}`] = true
  }

  permits(address: string, port: number): boolean {
    const groups = parseAddress(address)
    if (!groups) return false
    const key = `${addressKey(groups)}${port}`
    if (this.#always[key] === true || this.#listensAt(groups, port)) return true
    if (this.#isClosed || (!this.#allowsPrivate && this.#isPrivate(groups))) return false
    return this.#granted === undefined || this.#granted[key] === true
  }

  #lists(name: string, port: number): boolean {
    const groups = parseAddress(name)
    for (let at = 0; at < this.#listed.length; at++) {
      const entry = this.#listed[at]!
      if (entry.port !== undefined && entry.port !== port) continue
      if (groups && entry.groups ? sharesPrefix(groups, entry.groups, 128) : isNamed(entry, name)) return true
    }
    return false
  }

  #isPrivate(groups: AddressGroups): boolean {
    const isIpv4 = isMapped(groups)
    for (let at = 0; at < this.#closedCount; at++) {
      const network = this.#closed[at]!
      if (isMapped(network.groups) === isIpv4 && sharesPrefix(groups, network.groups, network.bits))
        return true
    }
    return isOwnAddress(groups)
  }

  #trackListeners(tcp: Record<string, NativeMethod | undefined>): void {
    const [listen, getName] = [requireNative(tcp, 'listen'), requireNative(tcp, 'getsockname')]
    const guard = this
    replace(tcp, 'listen', function (this: object, ...args: unknown[]) {
      guard.#forgetClosed()
      guard.#listening[guard.#listeningCount] = this
      guard.#listeningCount++
      return apply(listen, this, args)
    })
    this.#nameOf = handle => {
      const name = bare<SocketName>({ address: '', port: 0 })
      return apply(getName, handle, [name]) === 0 ? name : undefined
    }
  }

  /** True when a server of this process listens there. A server on 127.0.0.2 does not open the same port on 127.0.0.1. */
  #listensAt(groups: AddressGroups, port: number): boolean {
    if (!isLoopback(groups)) return false
    for (let at = 0; at < this.#listeningCount; at++) {
      const name = this.#nameOf?.(this.#listening[at]!)
      if (name?.port !== port) continue
      const own = parseAddress(name.address)
      if (own && (isAny(own) || sharesPrefix(own, groups, 128))) return true
    }
    return false
  }

  /** Forgets closed handles, for which `getsockname` fails. */
  #forgetClosed(): void {
    let kept = 0
    for (let at = 0; at < this.#listeningCount; at++) {
      const handle = this.#listening[at]!
      if (this.#nameOf?.(handle) === undefined) continue
      this.#listening[kept] = handle
      kept++
    }
    this.#listeningCount = kept
  }
}

/** Drops the flags of `bind`. IPV6_V6ONLY and SO_REUSEPORT would let a module share the port of another process's server. */
function ignoreFlags(tcp: Record<string, NativeMethod | undefined>): void {
  for (const name of ['bind', 'bind6'] as const) {
    const bind = requireNative(tcp, name)
    replace(tcp, name, function (this: object, address: unknown, port: unknown) {
      return apply(bind, this, [address, port, 0])
    })
  }
}

function requireNative(prototype: Record<string, NativeMethod | undefined>, name: string): NativeMethod {
  const found = prototype[name]
  if (typeof found !== 'function') throw new SealError(`tcp.${name} was not found.`)
  return found
}

function toNetwork([address, bits]: readonly [string, number]): Network {
  const groups = parseAddress(address)!
  return { groups, bits: isMapped(groups) ? 96 + bits : bits }
}

function toListed(text: string): ListedHost {
  const { host, isWildcard, port } = requireDestination(text)
  return { host, isWildcard, port, groups: parseAddress(host) }
}

function isNamed({ host, isWildcard }: ListedHost, name: string): boolean {
  if (!isWildcard) return name === host
  return name.length > host.length && slice(name, name.length - host.length) === host
}

function isLoopback(groups: AddressGroups): boolean {
  return (
    sharesPrefix(groups, LOOPBACK.groups, LOOPBACK.bits) || sharesPrefix(groups, LOOPBACK_IPV6.groups, 128)
  )
}

/** 0.0.0.0 or :: */
function isAny(groups: AddressGroups): boolean {
  for (let at = 0; at < 8; at++) if (groups[at] !== 0 && at !== 5) return false
  return groups[5] === 0 || groups[5] === 0xffff
}

/** True for addresses of this machine's interfaces, even public ones, because other servers of the machine listen there. */
function isOwnAddress(groups: AddressGroups): boolean {
  const interfaces = networkInterfaces()
  const names = ownKeys(interfaces)
  for (let at = 0; at < names.length; at++) {
    const addresses = interfaces[names[at] as string]!
    for (let index = 0; index < addresses.length; index++) {
      const own = parseAddress(addresses[index]!.address)
      if (own && sharesPrefix(own, groups, 128)) return true
    }
  }
  return false
}
