import type { Socket } from 'node:net'
import type { ServedTenant } from '../served-tenant.ts'

const TENANT = Symbol('tenant')
const HOST = Symbol('host')
type TenantSocket = Socket & { [TENANT]?: ServedTenant; [HOST]?: string | undefined }

/**
 * Each address belongs to one tenant, so its connections do: no request can reach another one's server. A connection that
 * came by name belongs to that name, `host`, besides.
 */
export function bindConnection(socket: Socket, tenant: ServedTenant, host: string | undefined): void {
  ;(socket as TenantSocket)[TENANT] = tenant
  if (host !== undefined) (socket as TenantSocket)[HOST] = host
}

/** The name by which the connection came; undefined for one of the tenant's own port. */
export function hostOf(socket: Socket): string | undefined {
  return (socket as TenantSocket)[HOST]
}

export function tenantOf(socket: Socket): ServedTenant | undefined {
  return (socket as TenantSocket)[TENANT]
}
