import type { Tenant } from '../../shared/instance-protocol.ts'
import { TenantLog } from './tenant-log.ts'

let ofProcess: { tenantId: string; log: TenantLog } | undefined

/**
 * The log of a tenant. In a process of its own it is there before the tenant is served, for what its code prints while it
 * is loaded: the same one, so that lines come in order and are held together.
 */
export function openLog(tenant: Tenant): TenantLog {
  if (tenant.logFile !== undefined) return new TenantLog(tenant)
  if (ofProcess?.tenantId !== tenant.id) ofProcess = { tenantId: tenant.id, log: new TenantLog(tenant) }
  return ofProcess.log
}
