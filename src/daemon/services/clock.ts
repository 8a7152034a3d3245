/**
 * The time of records: ISO 8601 with milliseconds, never the same moment twice and never an earlier one, so that lists by
 * time keep the order in which things happened, also when somebody sets the machine's clock back.
 */
export interface Clock {
  now(): string
  /** What the machine's clock says, forwards or back: for what expires. */
  reading(): string
}

/** `latest`: the moment of the newest record there is. */
export function createClock(read: () => Date = () => new Date(), latest?: string): Clock {
  let last = latest === undefined ? 0 : Date.parse(latest)
  return {
    now() {
      last = Math.max(read().getTime(), last + 1)
      return new Date(last).toISOString()
    },
    reading: () => read().toISOString(),
  }
}
