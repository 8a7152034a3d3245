/** Labels and durations in minutes of the periods that end now. */
export const PERIODS: Record<string, [text: string, minutes: number]> = {
  '15m': ['Last 15 minutes', 15],
  '1h': ['Last hour', 60],
  '1d': ['Last day', 1440],
}

interface TimeRange {
  since?: string | undefined
  until?: string | undefined
}

/** Time range for the API. A period is counted back from `nowMs`. Invalid times are ignored. */
export function toTimeRange({ since, until }: TimeRange, nowMs = Date.now()): TimeRange {
  const minutes = PERIODS[since ?? '']?.[1]
  return {
    since: minutes === undefined ? isoTime(since) : new Date(nowMs - minutes * 60_000).toISOString(),
    until: isoTime(until),
  }
}

/** Value of a field for a date and a time, in local time: `2026-11-23T08:00`. Empty without a valid time. */
export function localTime(time: string | undefined): string {
  const iso = isoTime(time)
  if (iso === undefined) return ''
  const offsetMs = new Date(iso).getTimezoneOffset() * 60_000
  return new Date(Date.parse(iso) - offsetMs).toISOString().slice(0, 16)
}

/** UTC time of a text, such as the value of a field for a date and a time. */
export function isoTime(text: string | undefined): string | undefined {
  const timeMs = Date.parse(text ?? '')
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}
