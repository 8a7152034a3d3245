export interface Burden {
  /** Open ones, those on their way included. */
  connections: number
  activeRequests: number
  /** Of the event loop, 0 to 1. */
  utilization: number
}

/** A full event loop counts as much as so many connections. */
const FULL_LOOP = 10

/** What a new connection is sent by: to the instance with the least. Reports are up to a second old, hand-overs are not. */
export function burdenOf({ connections, activeRequests, utilization }: Burden): number {
  return connections + activeRequests + FULL_LOOP * utilization
}

/**
 * How many connections each instance is to let go of, so that all have about as many: kept-alive ones would stay where
 * they are while a new instance waits for work. One more than the others is as good as equal.
 */
export function surplusConnections(counts: readonly number[]): number[] {
  const fair = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  return counts.map(count => Math.max(0, count > fair + 1 ? Math.floor(count - fair) : 0))
}
