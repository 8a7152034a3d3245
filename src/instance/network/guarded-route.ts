import { promises as dns } from 'node:dns'
import type { Resolver } from 'node:dns/promises'
import { isIP, type TcpSocketConnectOpts } from 'node:net'
import { normalizeHost } from '../../shared/network/destinations.ts'
import { type NetworkPolicy, type Refusal, refusalError } from '../../shared/network/network-policy.ts'
import { SealError } from '../isolation/denied.ts'
import { resolverHandle } from '../isolation/native-handles.ts'
import type { HandleGuard } from './handle-guard.ts'
import { callLookup, type Lookup, type NetworkRoute } from './network-route.ts'

const DESTINATION = 'destination'

// Captured when loaded, because handler modules get other functions.
const lookupName = dns.lookup.bind(dns)
const resolveName = dns.Resolver.prototype.resolve

export interface GuardedRouteOptions {
  policy: NetworkPolicy
  guard: HandleGuard
  onRefused(refusal: Refusal): void
}

/**
 * Direct connections for machines without network namespaces, where the process itself enforces the policy. This class adds the
 * reason to each refusal. The guard refuses connections that bypass this class.
 */
export class GuardedRoute implements NetworkRoute {
  readonly guard: HandleGuard
  readonly #policy: NetworkPolicy
  readonly #onRefused: (refusal: Refusal) => void
  readonly #resolver = ownResolver()

  constructor({ policy, guard, onRefused }: GuardedRouteOptions) {
    this.#policy = policy
    this.guard = guard
    this.#onRefused = onRefused
  }

  connectOptions(options: Partial<TcpSocketConnectOpts>, host: string, port: number): TcpSocketConnectOpts {
    const { lookup: given } = options as { lookup?: Lookup }
    const lookup: Lookup = (_name, { all }, callback) => {
      this.#permit(host, port, given).then(
        addresses => {
          const found = addresses.map(address => ({ address, family: isIP(address) }))
          if (all) callback(null, found)
          else callback(null, found[0]!.address, found[0]!.family)
        },
        (error: Error) => callback(error, all ? [] : '', 0),
      )
    }
    return {
      ...options,
      port,
      host: DESTINATION,
      lookup: lookup as NonNullable<TcpSocketConnectOpts['lookup']>,
    }
  }

  async lookUp(host: string): Promise<string[]> {
    const name = normalizeHost(host) ?? host
    this.#require(this.#policy.judgeName(name))
    const addresses = await addressesOf(name)
    this.#require(this.#policy.judgeAddresses(name, 0, addresses))
    return addresses
  }

  resolve(host: string, records: string): Promise<unknown> {
    const name = normalizeHost(host) ?? host
    this.#require(this.#policy.judgeName(name))
    return Reflect.apply(resolveName, this.#resolver, [name, records])
  }

  /** Returns the addresses to try. */
  async #permit(host: string, port: number, given?: Lookup): Promise<string[]> {
    // An address keeps its zone. A name is resolved in its normalized form, which is also the one that is checked.
    const name = isIP(host) === 0 ? (normalizeHost(host) ?? host) : host
    this.#require(this.#policy.judgeHost(name, port))
    const isName = isIP(name) === 0
    if (given && isName) return this.#permitChosen(name, port, await callLookup(given, host))
    const addresses = isName ? await addressesOf(name) : [name]
    this.#require(this.#policy.judgeAddresses(name, port, addresses))
    for (const address of addresses) this.guard.grant(name, address, port)
    return addresses
  }

  /** Addresses that a module's `lookup` returned. Each must be allowed itself or belong to an allowed name. */
  async #permitChosen(name: string, port: number, chosen: string[]): Promise<string[]> {
    const isUnlisted = (address: string) => this.#policy.judgeHost(address, port) !== undefined
    const own = chosen.some(isUnlisted) ? await this.#permit(name, port) : []
    for (const address of chosen) if (!own.includes(address)) await this.#permit(address, port)
    return chosen
  }

  #require(refusal: Refusal | undefined): void {
    if (!refusal) return
    this.#onRefused(refusal)
    throw refusalError(refusal)
  }
}

async function addressesOf(name: string): Promise<string[]> {
  return (await lookupName(name, { all: true })).map(({ address }) => address)
}

/** Resolver with private copies of its native functions, because the guard disables the shared ones. */
function ownResolver(): Resolver {
  const resolver = new dns.Resolver()
  const handle = resolverHandle(resolver)
  if (!handle) throw new SealError('the native handle of a resolver was not found.')
  Object.defineProperties(handle, Object.getOwnPropertyDescriptors(Object.getPrototypeOf(handle)))
  return resolver
}
