import type { InstanceReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { SeriesCounts } from '../../../shared/instances/request-tally.ts'
import type { Placement } from '../placement/placement.ts'
import { SCALE_DOWN_AFTER_MS } from '../scaling/scaling.ts'
import type { Served } from '../served.ts'
import type { HoldLimits } from './held-connections.ts'

/** Options shared by all pools. */
export interface PoolOptions {
  placements: Record<Served['placement'], Placement>
  limits: PoolLimits
  /** Called when a server fails permanently while it runs or wakes up. A failed `start` only rejects. */
  onFailed(id: string, error: Error): void
  onTraffic(id: string, series: SeriesCounts[]): void
  /** Called when an instance's state, as shown in the deployment's report, has changed. */
  onInstance(served: Served, instance: InstanceChange): void
  /** Writes a line to the log of the deployment or preview. */
  log(id: string, level: LogLine['level'], message: string): void
}

export type InstanceChange = Pick<InstanceReport, 'id' | 'state'>

export interface PoolLimits {
  hold: HoldLimits
  /** Maximum time from the start of an instance until it serves. */
  startMs: number
  /** Time from the start of a drain until open connections are closed. */
  drainMs: number
  /** Time of low load before an instance is stopped. */
  calmMs: number
}

export const POOL_LIMITS: PoolLimits = {
  hold: { connections: 1000, waitMs: 30_000 },
  startMs: 30_000,
  drainMs: 60_000,
  calmMs: SCALE_DOWN_AFTER_MS,
}
