import type { IncomingMessage } from 'node:http'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { hostOf } from './connection.ts'
import { header } from './headers.ts'

/**
 * Reason to refuse a request because of its `Host` or `Origin`, if any. Any web page can make a browser send requests to loopback
 * under a host name that the page controls (DNS rebinding). These headers reveal such requests.
 */
export function refuseAddress(tenant: Tenant, request: IncomingMessage): Refusal | undefined {
  const { host, origin } = request.headers
  const name = hostOf(request.socket)
  if (host === undefined || !isAllowedHost(tenant, host, name)) {
    const message = `Host ${JSON.stringify(host ?? '')} is not served here. This server is at ${name ?? tenant.url}.`
    // 421 makes a client that shares a connection among names open a new connection (RFC 9110 section 15.5.20).
    return { status: name === undefined ? 403 : 421, message }
  }
  if (origin === undefined || isAllowedOrigin(tenant, origin, name)) return undefined
  return { status: 403, message: originRefusal(tenant, origin) }
}

function originRefusal({ isPreview }: Tenant, origin: string): string {
  const refused = `Pages from ${JSON.stringify(origin)} may not use this server.`
  return isPreview
    ? `${refused} A preview only serves its own pages. Deploy the server with --origin to allow others.`
    : `${refused} Allow them with "origins" under "deploy" in the project file, mcp deploy --origin, or ALLOWED_ORIGINS of an exported server.`
}

export interface Refusal {
  status: 403 | 421
  message: string
}

/** Headers that let a page of an allowed origin read the answer (Fetch, "CORS protocol"). Empty for other requests. */
export function corsHeaders(tenant: Tenant, request: IncomingMessage): readonly string[] {
  const { origin } = request.headers
  if (origin === undefined || refuseAddress(tenant, request)) return NO_HEADERS
  return [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate',
    'Vary',
    'Origin',
  ]
}

const REPLACED_HEADERS = new Set(['access-control-allow-origin', 'access-control-allow-credentials'])

/** Headers of a relayed answer. Our CORS headers replace its own, because this instance answers the page. */
export function withCorsHeaders(tenant: Tenant, request: IncomingMessage, headers: string[]): string[] {
  const own = corsHeaders(tenant, request)
  if (own.length === 0) return headers
  return [...headers.filter((_, at) => !REPLACED_HEADERS.has(headers[at - (at % 2)]!.toLowerCase())), ...own]
}

/** True when a browser asks whether a page may send a request (Fetch, "CORS-preflight request"). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

/** Additional headers for a preflight. Allows any requested header name, because tools receive parameters in `Mcp-Param-*`. */
export function preflightHeaders(request: IncomingMessage): readonly string[] {
  const wanted = header(request, 'access-control-request-headers') ?? ''
  return [
    'Access-Control-Allow-Methods',
    'GET, POST, DELETE',
    ...(/^[\w\-, ]+$/.test(wanted) ? ['Access-Control-Allow-Headers', wanted] : []),
    // For browsers before Local Network Access, which asks the user instead (https://wicg.github.io/private-network-access/).
    ...(header(request, 'access-control-request-private-network') === 'true'
      ? ['Access-Control-Allow-Private-Network', 'true']
      : []),
    'Access-Control-Max-Age',
    '600',
  ]
}

const NO_HEADERS: readonly string[] = []

function isAllowedHost(tenant: Tenant, host: string, name: string | undefined): boolean {
  if (name !== undefined) return host === name || host.toLowerCase() === name
  return tenant.allowedHosts.includes(host) || tenant.allowedHosts.includes(host.toLowerCase())
}

function isAllowedOrigin(tenant: Tenant, origin: string, name: string | undefined): boolean {
  const { allowedOrigins } = tenant
  return allowedOrigins === '*' || allowedOrigins.includes(origin) || isOwnOrigin(tenant, origin, name)
}

/** True for pages of the server itself. `name`: host name of the connection. */
export function isOwnOrigin(tenant: Tenant, origin: string, name: string | undefined): boolean {
  const [, host] = /^https?:\/\/(.*)$/s.exec(origin.toLowerCase()) ?? []
  return host !== undefined && isAllowedHost(tenant, host, name)
}
