/** Timestamps as ISO 8601 with milliseconds. */
export interface Clock {
  /**
   * Time of a record. Each time is later than the previous one, even after the system clock was set back, so that
   * lists by time keep their order.
   */
  now(): string
  /** System clock time. Used for expiry. */
  wallTime(): string
}

/** `latest` is the time of the newest stored record. */
export function createClock(read: () => Date = () => new Date(), latest?: string): Clock {
  let last = latest === undefined ? 0 : Date.parse(latest)
  return {
    now() {
      last = Math.max(read().getTime(), last + 1)
      return new Date(last).toISOString()
    },
    wallTime: () => read().toISOString(),
  }
}
