import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPrivateAddress } from './special-addresses.ts'

/** Cache lifetime of this machine's addresses. Every connection needs them, and interfaces rarely change. */
const KEPT_MS = 5000

let known: ReadonlySet<string> = new Set()
let readAt = Number.NEGATIVE_INFINITY

/** True for addresses outside the public internet, and for this machine's own addresses, where its servers listen. */
export function isClosedAddress(address: string): boolean {
  return isPrivateAddress(address) || ownAddresses().has(canonicalAddress(address) ?? '')
}

function ownAddresses(): ReadonlySet<string> {
  const now = performance.now()
  if (now - readAt > KEPT_MS) {
    const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
    known = new Set(all.map(({ address }) => canonicalAddress(address) ?? address))
    readAt = now
  }
  return known
}
