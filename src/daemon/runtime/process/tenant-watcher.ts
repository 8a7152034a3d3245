import type {
  Announcement,
  SessionClaim,
  TenantMetrics,
} from '../../../shared/instances/instance-protocol.ts'
import type { HostEndedError, RefusedArtifactError } from './host-ending.ts'

/** Receives the reports of a process about one tenant. */
export interface TenantWatcher {
  onMetrics(metrics: TenantMetrics): void
  /** The process exited, or it can no longer serve the tenant. */
  onFailed(error: HostEndedError | RefusedArtifactError): void
  /** The tenant's program has exited and is being restarted. `how` completes a sentence about it. */
  onRestarting(how: string): void
  onAnnounced(announcement: Announcement): void
  onClaim(claim: SessionClaim): void
  /** The tenant sleeps, and a request needs it. */
  onWake(): void
}
