import { BlockList, isIP, SocketAddress } from 'node:net'

/** Networks outside the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure: agent of the virtual machine's host. A public address that only virtual machines can reach.
  ['168.63.129.16', 32],
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

/**
 * Only 2000::/3 is allocated to the public internet, and not all of it:
 * https://www.iana.org/assignments/iana-ipv6-special-registry. Prefixes that embed an IPv4 address are blocked completely.
 */
const IPV6 = [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
] as const

/** Address and prefix length. */
export const CLOSED_NETWORKS: readonly (readonly [address: string, prefix: number])[] = [...IPV4, ...IPV6]

// Two lists, because a BlockList also compares IPv4 addresses with IPv6 networks.
const closedIpv4 = new BlockList()
const closedIpv6 = new BlockList()
for (const [network, prefix] of IPV4) closedIpv4.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of IPV6) closedIpv6.addSubnet(network, prefix, 'ipv6')

/** True for addresses outside the public internet, and for invalid ones. Mapped addresses count as IPv4. */
export function isPrivateAddress(address: string): boolean {
  const canonical = canonicalAddress(address)
  if (canonical === undefined) return true
  return isIP(canonical) === 6 ? closedIpv6.check(canonical, 'ipv6') : closedIpv4.check(canonical)
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Canonical form of an address: no zone, shortest form, mapped addresses as IPv4. Undefined when it is not an address. */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.replace(/^\[|\]$/g, '').split('%', 1)[0]!
  const family = isIP(bare)
  if (family === 0) return undefined
  if (family === 4) return bare
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  return MAPPED.exec(address)?.[1] ?? address
}
