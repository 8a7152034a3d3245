import type { InstanceReport } from '../../shared/contract/monitoring/health-reports.ts'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant, TenantAuth } from '../../shared/instances/instance-protocol.ts'

/** A deployment or a preview as the runtime knows it. */
export interface Served {
  /** Deployment id, or the `mcp_id` of a preview. */
  id: string
  serverName: string
  /** When set, only requests with a valid token are served. Tokens revoked later are added to `auth.revoked`. */
  auth?: TenantAuth | undefined
  /** `dedicated`: one process per instance. `shared`: one tenant among many in a host process, without user code. */
  placement: 'dedicated' | 'shared'
  scaling: { min: number; max: number }
  /** Milliseconds without a connection or request before the server sleeps. Null: never. */
  idleMs: number | null
  /** Memory in MB above which a dedicated instance is replaced. Default: no limit. */
  memoryMb?: number | undefined
  /** Memory limit of the process in MB, if above that of a spare. Default: `memoryLimitMb` of the supervisor. */
  processMb?: number | undefined
  /** While the server sleeps, health and lists are answered from its artifact without a wake-up. */
  answersAsleep?: boolean
  /** Debugger port on 127.0.0.1 for the server's handler modules, in development only. */
  inspectPort?: number | undefined
  /** Called at each start. The tenant is not kept, because thousands of servers sleep and tenants contain secrets. */
  loadTenant(): Tenant
  /** Called at each start. The artifact is not kept. */
  loadArtifact(): Artifact
  /** Text of a handler module's bundle. */
  loadBundle?(): string | undefined
  /** True when the server runs in containers, so none of its code runs in our processes. */
  isContained?: boolean
  /** Prepares everything else that an instance needs, before each start. Rejects when that fails. */
  provide?(): Promise<Pick<Tenant, 'container'>>
}

export interface ServedReport {
  instances: InstanceReport[]
}
