import type { ServedTenant } from '../served-tenant.ts'
import { hostOf, isSecure } from './connection-tenant.ts'
import type { Exchange } from './exchange.ts'
import { header } from './headers.ts'

/** Loaded with the first use: a process without protected servers needs none of it. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Of a request that came by name and is relayed: the URL that its client used, and its MAC. Only that URL's tokens are good for it
 * (RFC 8707), and the receiver sees nothing of the name.
 */
const HEADER = 'mcp-hosting-arrival'

/** What a relayed request carries besides its own headers, as names and values. */
export function arrivalHeaders({ tenant, request }: Exchange): string[] {
  if (!tenant.guard || hostOf(request.socket) === undefined) return []
  const url = ownUrl(request)
  return [HEADER, `${url} ${macOf(tenant, url)}`]
}

export function isArrivalHeader(name: string): boolean {
  return name.toLowerCase() === HEADER
}

/** The URL by which the client reached the server. Its `Host` was checked, here or by the instance that relayed it. */
export function arrivalUrl({ tenant, request }: Exchange): string {
  const [url = '', mac = ''] = header(request, HEADER)?.split(' ') ?? []
  return isMac(tenant, url, mac) ? url : ownUrl(request)
}

function ownUrl({ socket, headers }: Exchange['request']): string {
  return `${isSecure(socket) ? 'https' : 'http'}://${headers.host!.toLowerCase()}/mcp`
}

function isMac(tenant: ServedTenant, url: string, mac: string): boolean {
  if (url === '') return false
  const [expected, given] = [Buffer.from(macOf(tenant, url)), Buffer.from(mac)]
  return expected.length === given.length && crypto().timingSafeEqual(expected, given)
}

/** By the key that all instances of the address have, and nobody else. */
function macOf({ stateKey }: ServedTenant, url: string): string {
  return crypto().createHmac('sha256', stateKey).update('arrival\n').update(url).digest('base64url')
}
