/** One instance is meant to have so many requests at work at once; more of them call for another instance. */
export const TARGET_ACTIVE_REQUESTS = 32
/** Event loops busier than this need help … */
const BUSY = 0.8
/** … of so many instances that each is this busy. */
const TARGET_BUSY = 0.7
/** So many requests of an instance may wait for their turn. */
const WAITING_REQUESTS = 8
/** One instance fewer is enough only below these shares of the limits: the number must not swing. */
const ROOM_TO_SPARE = { requests: 0.7, busy: 0.5, waiting: 0.5 }
/** A new instance gets so long to make the others' requests wait less. */
const SETTLE_MS = 5000
/** So long must fewer instances be enough before one is given up. */
export const SCALE_DOWN_AFTER_MS = 60_000

/** Of all instances together. */
export interface Load {
  activeRequests: number
  /** Sum of the instances' event-loop utilisations, each 0 to 1. */
  busy: number
  /** How many of the active requests wait for others, by how much longer than usual they take (`queueing.ts`). */
  waiting: number
}

export interface ScalingState extends Load {
  /** Those that are starting included. */
  instances: number
  min: number
  max: number
  /** For how long one instance fewer would have been enough. */
  lowForMs: number
  /** Since the number was last changed. */
  unchangedForMs: number
  /** {@link SCALE_DOWN_AFTER_MS} */
  calmMs: number
}

/** How many instances there should be: up at once and as far as needed, down slowly and one at a time. */
export function desiredInstances(state: ScalingState): number {
  const { instances, min, max, lowForMs, calmMs } = state
  const needed = Math.max(byRequests(state), byUtilization(state), byLatency(state))
  if (needed > instances) return clamp(needed, min, max)
  if (lowForMs >= calmMs && isLow(instances, state)) return clamp(instances - 1, min, max)
  return clamp(instances, min, max)
}

/** Whether one instance fewer would carry the load, with room to spare. */
export function isLow(instances: number, { activeRequests, busy, waiting }: Load): boolean {
  const fewer = instances - 1
  return (
    activeRequests <= ROOM_TO_SPARE.requests * TARGET_ACTIVE_REQUESTS * fewer &&
    busy <= ROOM_TO_SPARE.busy * fewer &&
    waiting <= ROOM_TO_SPARE.waiting * WAITING_REQUESTS * fewer
  )
}

function byRequests({ activeRequests }: ScalingState): number {
  return Math.ceil(activeRequests / TARGET_ACTIVE_REQUESTS)
}

function byUtilization({ busy, instances }: ScalingState): number {
  return busy > BUSY * instances ? Math.ceil(busy / TARGET_BUSY) : 0
}

/** How many more would help cannot be told by latency, so one is tried at a time. */
function byLatency({ waiting, instances, unchangedForMs }: ScalingState): number {
  return waiting > WAITING_REQUESTS * instances && unchangedForMs >= SETTLE_MS ? instances + 1 : 0
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, Math.max(1, min)), max)
}
