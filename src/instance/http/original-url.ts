import { hostOf, isSecure } from './connection.ts'
import { header } from './headers.ts'
import type { ExchangeTenant, HttpExchange } from './http-exchange.ts'

/** Loaded on first use, because only processes with protected servers need it. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Header of a relayed request that arrived under a host name: the URL that the client used, and a MAC of the URL. Only tokens for
 * that URL are accepted (RFC 8707), and the receiver cannot see the host name otherwise.
 */
const HEADER = 'mcp-hosting-arrival'

/** Headers to add to a relayed request, as a flat list of names and values. */
export function originalUrlHeaders({ tenant, request }: HttpExchange): string[] {
  if (!tenant.guard || hostOf(request.socket) === undefined) return []
  const url = ownUrl(request)
  return [HEADER, `${url} ${macOf(tenant, url)}`]
}

export function isOriginalUrlHeader(name: string): boolean {
  return name.toLowerCase() === HEADER
}

/** URL under which the client reached the server. Its `Host` was checked here or by the instance that relayed it. */
export function originalUrl({ tenant, request }: HttpExchange): string {
  const [url = '', mac = ''] = header(request, HEADER)?.split(' ') ?? []
  return isMac(tenant, url, mac) ? url : ownUrl(request)
}

function ownUrl({ socket, headers }: HttpExchange['request']): string {
  return `${isSecure(socket) ? 'https' : 'http'}://${headers.host!.toLowerCase()}/mcp`
}

function isMac(tenant: ExchangeTenant, url: string, mac: string): boolean {
  if (url === '') return false
  const [expected, given] = [Buffer.from(macOf(tenant, url)), Buffer.from(mac)]
  return expected.length === given.length && crypto().timingSafeEqual(expected, given)
}

/** MAC of a URL, made with the key that only the instances behind one address share. */
function macOf({ stateKey }: ExchangeTenant, url: string): string {
  return crypto().createHmac('sha256', stateKey).update('arrival\n').update(url).digest('base64url')
}
