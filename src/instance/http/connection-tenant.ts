import type { Socket } from 'node:net'
import type { ServedTenant } from '../served-tenant.ts'

const TENANT = Symbol('tenant')
const HOST = Symbol('host')
const SECURE = Symbol('secure')
const FROM_PEER = Symbol('from peer')
type TenantSocket = Socket & {
  [TENANT]?: ServedTenant
  [HOST]?: string
  [SECURE]?: boolean
  [FROM_PEER]?: boolean
}

/** What is known of a connection that came by name. */
export interface ConnectionName {
  /** Lower case, with the port. */
  host?: string | undefined
  /** It came over TLS. */
  secure?: boolean | undefined
}

/**
 * Each address belongs to one tenant, so its connections do: no request can reach another one's server. A connection that
 * came by name belongs to that name, `host`, besides.
 */
export function bindConnection(
  socket: Socket,
  tenant: ServedTenant,
  { host, secure }: ConnectionName = {},
): void {
  ;(socket as TenantSocket)[TENANT] = tenant
  if (host !== undefined) (socket as TenantSocket)[HOST] = host
  if (secure) (socket as TenantSocket)[SECURE] = true
}

/** The name by which the connection came; undefined for one of the tenant's own port. */
export function hostOf(socket: Socket): string | undefined {
  return (socket as TenantSocket)[HOST]
}

/** Whether the client speaks TLS, which ends before it gets here. */
export function isSecure(socket: Socket): boolean {
  return (socket as TenantSocket)[SECURE] ?? false
}

/** Another instance brings its request here: it is answered here, and goes nowhere else. */
export function markFromPeer(socket: Socket): void {
  ;(socket as TenantSocket)[FROM_PEER] = true
}

export function isFromPeer(socket: Socket): boolean {
  return (socket as TenantSocket)[FROM_PEER] ?? false
}

export function tenantOf(socket: Socket): ServedTenant | undefined {
  return (socket as TenantSocket)[TENANT]
}
