/** ISO 8601 with milliseconds, and never the same moment twice: lists by time keep the order in which things happened. */
export interface Clock {
  now(): string
}

export function createClock(read: () => Date = () => new Date()): Clock {
  let last = 0
  return {
    now() {
      last = Math.max(read().getTime(), last + 1)
      return new Date(last).toISOString()
    },
  }
}
