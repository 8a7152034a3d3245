import { type LookupAddress, type LookupOptions, lookup as lookupName } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { HandlerError } from './handler.ts'

/** Networks that are not the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
/** https://www.iana.org/assignments/iana-ipv6-special-registry; those that carry an IPv4 address are closed as a whole. */
const IPV6 = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const closed = new BlockList()
for (const [network, prefix] of IPV4) closed.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of IPV6) closed.addSubnet(network, prefix, 'ipv6')

/** True for an address that only a private network reaches; IPv4 addresses mapped into IPv6 count as what they carry. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.split('%', 1)[0]!
  return closed.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

/** Throws when a URL's host is an address of a private network; names are judged when they are resolved. */
export function refusePrivateHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw refusal(host)
}

type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void
type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * A `lookup` for sockets that gives no private address. The check belongs here and not before the request: a name that is
 * resolved twice may lead to two places (DNS rebinding).
 */
export function createGuardedLookup(resolve: LookupAll = lookupName) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(refusal(hostname), [])
      const [first] = addresses
      if (options.all || !first) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function refusal(host: string): HandlerError {
  return new HandlerError(
    `${host} leads to a private network, which this server may not call; its deployment can allow that with allow_private_network`,
  )
}
