import { type LookupAddress, type LookupOptions, lookup as lookupName } from 'node:dns'
import { isIP } from 'node:net'
import {
  describeRefusal,
  NetworkPolicy,
  type NetworkSettings,
} from '../../../shared/network/network-policy.ts'
import { HandlerError } from '../handler.ts'

const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** Throws a HandlerError when the deployment's settings block a URL's host. `createGuardedLookup` checks resolved addresses. */
export function refuseClosedHost(url: URL, policy: NetworkPolicy): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port)
  const refusal =
    policy.judgeHost(host, port) ?? (isIP(host) === 0 ? undefined : policy.judgeAddresses(host, port, [host]))
  if (refusal) throw new HandlerError(describeRefusal(refusal))
}

type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void
type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

const PUBLIC_ONLY: NetworkSettings = { allowPrivateNetwork: false }

/**
 * A `lookup` for sockets that rejects private addresses. The check is here instead of before the request, because a name that is
 * resolved twice may resolve to two different addresses (DNS rebinding).
 */
export function createGuardedLookup(resolve: LookupAll = lookupName) {
  const policy = new NetworkPolicy(PUBLIC_ONLY)
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const refusal = policy.judgeAddresses(
        hostname,
        0,
        addresses.map(({ address }) => address),
      )
      if (refusal) return callback(new HandlerError(describeRefusal(refusal)), [])
      const [first] = addresses
      if (options.all || !first) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
