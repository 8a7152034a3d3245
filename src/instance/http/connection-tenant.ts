import type { Socket } from 'node:net'
import type { ServedTenant } from '../served-tenant.ts'

const TENANT = Symbol('tenant')
type TenantSocket = Socket & { [TENANT]?: ServedTenant }

/** Each address belongs to one tenant, so its connections do: no request can reach another one's server. */
export function bindConnection(socket: Socket, tenant: ServedTenant): void {
  ;(socket as TenantSocket)[TENANT] = tenant
}

export function tenantOf(socket: Socket): ServedTenant | undefined {
  return (socket as TenantSocket)[TENANT]
}
