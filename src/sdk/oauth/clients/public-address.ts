import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * Addresses that are not of the public Internet: this machine, private networks, link-local ones with the metadata services of
 * clouds, documentation, multicast (https://www.iana.org/assignments/iana-ipv4-special-registry and …-ipv6-special-registry).
 */
const RESERVED_V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Of IPv6 only 2000::/3 is public; of that not what leads to an IPv4 address, or nowhere. */
const RESERVED_V6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const reserved = new BlockList()
for (const [network, prefix] of RESERVED_V4) reserved.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of RESERVED_V6) reserved.addSubnet(network, prefix, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address, as text, is one of the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  if (!isIPv6(address)) return false
  return globalUnicast.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
