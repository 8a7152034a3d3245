import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPrivateAddress } from './special-addresses.ts'

/** Interfaces seldom change, and every connection asks. */
const KEPT_MS = 5000

let known: ReadonlySet<string> = new Set()
let readAt = Number.NEGATIVE_INFINITY

/** True for every address that is not of the public internet, or that is this machine's own: its servers listen there. */
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
