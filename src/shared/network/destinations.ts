import { domainToASCII } from 'node:url'
import { canonicalAddress } from './special-addresses.ts'

/** `config.network` of a deployment: no network, or only these destinations. Absent: the public network. */
export type NetworkSetting = 'none' | { allow: string[] }

/** Entry of an allow list. */
export interface AllowedDestination {
  /** Name in lower case and punycode, or address. `.example.com` for `*.example.com`. */
  host: string
  isWildcard: boolean
  /** Undefined: all ports. */
  port: number | undefined
}

export const MAX_ALLOWED = 200

const LABELS =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const EXAMPLE = 'expected a host such as "api.example.com", "*.example.com:443" or "203.0.113.7:5432"'

/** Parses an entry of an allow list. Returns an error message for an invalid one. */
export function parseDestination(text: string): AllowedDestination | string {
  const entry = text.trim()
  if (entry.includes('://') || entry.includes('/'))
    return `"${text}" must be a host without scheme, path or prefix length: ${EXAMPLE}`
  const { host, portText } = splitPort(entry)
  const port = portText === undefined ? undefined : Number(portText)
  if (portText !== undefined && !(/^\d{1,5}$/.test(portText) && port! >= 1 && port! <= 65_535))
    return `"${text}" has an invalid port: expected 1 to 65535`
  const isWildcard = host.startsWith('*.')
  const name = normalizeHost(isWildcard ? host.slice(2) : host)
  if (name === undefined) return `"${text}" is not a destination: ${EXAMPLE}`
  if (isWildcard && canonicalAddress(name) !== undefined)
    return `"${text}" has a wildcard before an address; only names have subdomains`
  return { host: isWildcard ? `.${name}` : name, isWildcard, port }
}

/** Canonical form of a host: an address, or a name in lower case and punycode without the trailing dot. */
export function normalizeHost(host: string): string | undefined {
  const address = canonicalAddress(host)
  if (address !== undefined) return address
  const name = domainToASCII(host.replace(/\.$/, ''))
  // "0x7f.1" is an address too.
  return canonicalAddress(name) ?? (LABELS.test(name) ? name : undefined)
}

/** Entry for an allow list: `api.example.com:443`, `[2606:4700::1111]:443`. */
export function formatDestination(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function splitPort(entry: string): { host: string; portText: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(entry)
  if (bracketed) return { host: bracketed[1]!, portText: bracketed[2] }
  const colons = entry.split(':').length - 1
  if (colons !== 1) return { host: entry, portText: undefined } // a name, or an IPv6 address
  const [host, portText] = entry.split(':') as [string, string]
  return { host, portText }
}
