/** One instance is meant to have so many requests at work at once; more of them call for another instance. */
export const TARGET_ACTIVE_REQUESTS = 32
/** So long must fewer instances be enough before one is given up. */
export const SCALE_DOWN_AFTER_MS = 60_000

export interface ScalingState {
  instances: number
  min: number
  max: number
  /** Smoothed sum over all instances. */
  activeRequests: number
  /** For how long one instance fewer would have been enough. */
  lowForMs: number
}

/** How many instances there should be: up at once and as far as needed, down slowly and one at a time. */
export function desiredInstances({ instances, min, max, activeRequests, lowForMs }: ScalingState): number {
  const needed = Math.ceil(activeRequests / TARGET_ACTIVE_REQUESTS)
  if (needed > instances) return clamp(needed, min, max)
  if (lowForMs >= SCALE_DOWN_AFTER_MS) return clamp(instances - 1, min, max)
  return clamp(instances, min, max)
}

/** Whether one instance fewer would carry the load, with room to spare so that the number does not swing. */
export function isLow(instances: number, activeRequests: number): boolean {
  return activeRequests <= 0.7 * TARGET_ACTIVE_REQUESTS * (instances - 1)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, Math.max(1, min)), max)
}
