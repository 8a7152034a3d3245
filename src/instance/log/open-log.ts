import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { TenantLog } from './tenant-log.ts'

let ofProcess: { tenantId: string; log: TenantLog } | undefined

/**
 * The log of a tenant. A dedicated process opens it before the tenant is served, for output during loading, and then reuses
 * it, so that lines stay in order and `hold` stops all of them.
 */
export function openLog(tenant: Tenant): TenantLog {
  if (tenant.logFile !== undefined) return new TenantLog(tenant)
  if (ofProcess?.tenantId !== tenant.id) ofProcess = { tenantId: tenant.id, log: new TenantLog(tenant) }
  return ofProcess.log
}
