import type { HoldLimits } from './held-connections.ts'

export interface PoolLimits {
  hold: HoldLimits
  /** From the start of an instance until it serves. */
  startMs: number
  /** From the wish to drain until what is still open is cut. */
  drainMs: number
}

export const POOL_LIMITS: PoolLimits = {
  hold: { connections: 1000, waitMs: 30_000 },
  startMs: 30_000,
  drainMs: 60_000,
}
