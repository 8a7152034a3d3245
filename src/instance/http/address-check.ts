import type { IncomingMessage } from 'node:http'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { hostOf } from './connection.ts'
import { header } from './headers.ts'

/**
 * Reason to refuse a request to this address, if any. Any web page can make a browser send requests to loopback under a host name
 * that the page controls (DNS rebinding). `Host` and `Origin` reveal that, so both must be known.
 */
export function refuseAddress(tenant: Tenant, request: IncomingMessage): Refusal | undefined {
  const { host, origin } = request.headers
  const name = hostOf(request.socket)
  if (host === undefined || !isAllowedHost(tenant, host, name)) {
    const message = `Host ${JSON.stringify(host ?? '')} is not served here. This server is at ${name ?? tenant.url}.`
    // 421 makes a client that shares a connection among names open another one (RFC 9110 section 15.5.20).
    return { status: name === undefined ? 403 : 421, message }
  }
  if (origin === undefined || isAllowedOrigin(tenant, origin, name)) return undefined
  const message = `Origin ${JSON.stringify(origin)} may not use this server. Only its own pages and allowed origins may.`
  return { status: 403, message }
}

export interface Refusal {
  status: 403 | 421
  message: string
}

/** Headers that let a page of an allowed origin read the answer (Fetch, "CORS protocol"). Empty for other requests. */
export function corsHeaders(tenant: Tenant, request: IncomingMessage): readonly string[] {
  const { origin } = request.headers
  if (origin === undefined || !isAllowedOrigin(tenant, origin, hostOf(request.socket))) return NONE
  return [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    'Mcp-Session-Id, WWW-Authenticate',
    'Vary',
    'Origin',
  ]
}

/** Additional headers for a preflight. Allows any requested header name, because tools receive parameters in `Mcp-Param-*`. */
export function preflightHeaders(request: IncomingMessage): readonly string[] {
  const wanted = header(request, 'access-control-request-headers') ?? ''
  return [
    'Access-Control-Allow-Methods',
    'GET, POST, DELETE',
    ...(/^[\w\-, ]+$/.test(wanted) ? ['Access-Control-Allow-Headers', wanted] : []),
    'Access-Control-Max-Age',
    '600',
  ]
}

const NONE: readonly string[] = []

function isAllowedHost(tenant: Tenant, host: string, name: string | undefined): boolean {
  if (name !== undefined) return host === name || host.toLowerCase() === name
  return tenant.allowedHosts.includes(host) || tenant.allowedHosts.includes(host.toLowerCase())
}

function isAllowedOrigin(tenant: Tenant, origin: string, name: string | undefined): boolean {
  if (tenant.allowedOrigins.includes(origin)) return true
  const [, host] = /^https?:\/\/(.*)$/s.exec(origin.toLowerCase()) ?? []
  return host !== undefined && isAllowedHost(tenant, host, name)
}
