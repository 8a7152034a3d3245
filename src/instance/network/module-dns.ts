import dns, { type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { RECORD_TYPES } from '../../shared/network/egress-protocol.ts'
import { REFUSED_CODE } from '../../shared/network/network-policy.ts'
import { replace } from '../isolation/denied.ts'
import type { NetworkRoute } from './network-route.ts'
import { isLoopback } from './own-listeners.ts'

type Callback = (error: Error | null, ...result: unknown[]) => void
interface LookupOptions {
  family?: number | string
  all?: boolean
}

/** Replaces the lookups of `node:dns`, its promises and resolvers with those of the route. */
export function replaceLookUps(route: NetworkRoute): void {
  const lookup = createLookup(route)
  replace(dns, 'lookup', withCallback(lookup, spreadLookup))
  replace(dns.promises, 'lookup', lookup)
  const withCallbacks = [dns, dns.Resolver.prototype]
  const withPromises = [dns.promises, dns.promises.Resolver.prototype]
  for (const [name, resolve] of Object.entries(createResolvers(route))) {
    for (const target of withCallbacks) replace(target, name, withCallback(resolve))
    for (const target of withPromises) replace(target, name, resolve)
  }
}

function createLookup(route: NetworkRoute) {
  return async (host: string, given?: LookupOptions | number): Promise<LookupAddress | LookupAddress[]> => {
    const options = typeof given === 'number' ? { family: given } : (given ?? {})
    const family = Number(String(options.family ?? 0).replace('IPv', ''))
    const all = (await addressesOf(route, host))
      .map(address => ({ address, family: isIP(address) }))
      .filter(one => family === 0 || one.family === family)
    if (options.all) return all
    if (all[0]) return all[0]
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
      hostname: host,
    })
  }
}

/** Addresses of a host. Loopback needs no DNS, and a server may listen there. */
async function addressesOf(route: NetworkRoute, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (isLoopback(host)) return ['127.0.0.1', '::1']
  return route.lookUp(String(host))
}

type Resolve = (...args: string[]) => Promise<unknown>

function createResolvers(route: NetworkRoute): Record<string, Resolve> {
  const named = RECORD_TYPES.map((type): [string, Resolve] => {
    const name = type === 'A' ? '4' : type === 'AAAA' ? '6' : `${type[0]}${type.slice(1).toLowerCase()}`
    return [`resolve${name}`, async host => route.resolve(String(host), type)]
  })
  const unsupported = ['reverse', 'lookupService', 'resolveAny', 'resolveTlsa'].map(
    (name): [string, Resolve] => [
      name,
      async () => {
        throw Object.assign(new Error(`dns.${name} is not available behind the network border.`), {
          code: REFUSED_CODE,
        })
      },
    ],
  )
  const resolve: Resolve = async (host, type) =>
    route.resolve(String(host), typeof type === 'string' ? type : 'A')
  return { resolve, ...Object.fromEntries([...named, ...unsupported]) }
}

function withCallback(run: (...args: never[]) => Promise<unknown>, spread = (result: unknown) => [result]) {
  const called = (...args: unknown[]) => {
    const done = args.pop() as Callback
    run(...(args as never[])).then(
      result => process.nextTick(done, null, ...spread(result)),
      (error: Error) => process.nextTick(done, error),
    )
    return {}
  }
  return Object.assign(called, { [promisify.custom]: run })
}

function spreadLookup(result: unknown): unknown[] {
  if (Array.isArray(result)) return [result]
  const { address, family } = result as LookupAddress
  return [address, family]
}
