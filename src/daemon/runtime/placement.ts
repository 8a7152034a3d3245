import type { Tenant } from '../../shared/instance-protocol.ts'
import type { Host } from './host.ts'

/** Where one instance of a tenant runs. */
export interface Place {
  instanceId: string
  host: Host
  /** As the process is to serve it: with `logFile` where the process has many tenants. */
  tenant: Tenant
  /** Gives the place up; resolves when nothing of the tenant is left there. Also after the process ended. */
  leave(): Promise<void>
}

/** `alone`: the tenant is suspected of ending its process, so nobody else may share it. May throw, as a start may. */
export type Placement = (tenant: Tenant, options: { alone: boolean }) => Place
