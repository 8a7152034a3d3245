import { availableParallelism } from 'node:os'

/** Concurrent requests per instance. Above this, another instance is needed. */
export const TARGET_ACTIVE_REQUESTS = 32
/** Mean event-loop utilization above which instances are added. */
const MAX_UTILIZATION = 0.8
/** Mean utilization that adding instances aims for. */
const TARGET_UTILIZATION = 0.7
/** Waiting requests per instance. Above this, another instance is needed. */
const WAITING_REQUESTS = 8
/** An instance is removed only below these shares of the limits, so that the number of instances does not oscillate. */
const HEADROOM = { requests: 0.7, busy: 0.5, waiting: 0.5 }
/** Time for a new instance to take effect before another one is added for latency. */
const SETTLE_MS = 5000
/** Time of low load before an instance is stopped. */
export const SCALE_DOWN_AFTER_MS = 60_000

/** Total of all instances. */
export interface Load {
  activeRequests: number
  /** Sum of the instances' event-loop utilizations, each 0 to 1. */
  busy: number
  /** Number of active requests that wait for others (`queue-estimator.ts`). */
  waiting: number
}

export interface ScalingState extends Load {
  /** Includes starting instances. */
  instances: number
  min: number
  max: number
  /** Time for which one instance fewer would have been enough. */
  lowForMs: number
  /** Time since the number of instances last changed. */
  unchangedForMs: number
  /** Time of low load before an instance is stopped. */
  calmMs: number
}

/**
 * Limits for the autoscaler. It starts no more instances than the machine can run in parallel, because more would only compete
 * for processor time. `min` may require more.
 */
export function usefulLimits(
  { min, max }: { min: number; max: number },
  parallelism = availableParallelism(),
): { min: number; max: number } {
  return { min, max: Math.max(min, Math.min(max, parallelism)) }
}

/**
 * Desired number of instances. Scales up immediately and as far as needed, except for latency. Scales down slowly, one at a time.
 */
export function desiredInstances(state: ScalingState): number {
  const { instances, min, max, lowForMs, calmMs } = state
  const needed = Math.max(byRequests(state), byUtilization(state), byLatency(state))
  if (needed > instances) return clamp(needed, min, max)
  if (lowForMs >= calmMs && isLow(instances, state)) return clamp(instances - 1, min, max)
  return clamp(instances, min, max)
}

/** True when one instance fewer could carry the load with headroom. */
export function isLow(instances: number, { activeRequests, busy, waiting }: Load): boolean {
  const fewer = instances - 1
  return (
    activeRequests <= HEADROOM.requests * TARGET_ACTIVE_REQUESTS * fewer &&
    busy <= HEADROOM.busy * fewer &&
    waiting <= HEADROOM.waiting * WAITING_REQUESTS * fewer
  )
}

function byRequests({ activeRequests }: ScalingState): number {
  return Math.ceil(activeRequests / TARGET_ACTIVE_REQUESTS)
}

function byUtilization({ busy, instances }: ScalingState): number {
  return busy > MAX_UTILIZATION * instances ? Math.ceil(busy / TARGET_UTILIZATION) : 0
}

/** Number of instances to reduce latency. Latency does not show how many more would help, so one is added at a time. */
function byLatency({ waiting, instances, unchangedForMs }: ScalingState): number {
  return waiting > WAITING_REQUESTS * instances && unchangedForMs >= SETTLE_MS ? instances + 1 : 0
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, Math.max(1, min)), max)
}
