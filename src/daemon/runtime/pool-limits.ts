import type { HoldLimits } from './held-connections.ts'
import { SCALE_DOWN_AFTER_MS } from './scaling.ts'

export interface PoolLimits {
  hold: HoldLimits
  /** From the start of an instance until it serves. */
  startMs: number
  /** From the wish to drain until what is still open is cut. */
  drainMs: number
  /** So long must fewer instances be enough before one is given up. */
  calmMs: number
}

export const POOL_LIMITS: PoolLimits = {
  hold: { connections: 1000, waitMs: 30_000 },
  startMs: 30_000,
  drainMs: 60_000,
  calmMs: SCALE_DOWN_AFTER_MS,
}
