export interface InstanceLoad {
  /** Open connections, including ones being handed over. */
  connections: number
  activeRequests: number
  /** Event-loop utilization, 0 to 1. */
  utilization: number
}

/** Number of connections that a saturated event loop counts as. */
const FULL_LOOP = 10

/**
 * Load of an instance. A new connection goes to the instance with the lowest load. Reports are up to a second old, but
 * hand-overs are current.
 */
export function loadOf({ connections, activeRequests, utilization }: InstanceLoad): number {
  return connections + activeRequests + FULL_LOOP * utilization
}

/**
 * Number of connections that each instance should close so that all have about the same number. Otherwise kept-alive
 * connections would stay where they are while a new instance is idle. A difference of one is fine.
 */
export function surplusConnections(counts: readonly number[]): number[] {
  const fairShare = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  return counts.map(count => Math.max(0, count > fairShare + 1 ? Math.floor(count - fairShare) : 0))
}
