import type { Artifact } from '../../shared/artifact.ts'
import type { InstanceReport } from '../../shared/deployments.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'

/** A deployment or a preview as the runtime knows it. */
export interface Served {
  tenant: Tenant
  /** `dedicated`: processes of its own; `shared`: one tenant among many in a host process (no user code runs). */
  placement: 'dedicated' | 'shared'
  scaling: { min: number; max: number }
  /** Sleep after so many milliseconds without a connection or request; null: never. */
  idleMs: number | null
  /** Read when an instance is started, not kept. */
  loadArtifact(): Artifact
}

export interface ServedReport {
  instances: InstanceReport[]
  requests: { total: number; errors: number; p50Ms: number; p99Ms: number }
}
