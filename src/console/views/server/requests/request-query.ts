import type { Query } from '../../../api/client.ts'

/** Query parameters that filter requests. */
const FILTERS = ['outcome', 'method', 'tool', 'session', 'caller', 'text', 'since'] as const

/** Labels for the start of a list, with their durations in minutes. */
export const PERIODS: Record<string, [text: string, minutes: number]> = {
  '15m': ['Last 15 minutes', 15],
  '1h': ['Last hour', 60],
  '1d': ['Last day', 1440],
}

export type RequestFilters = Partial<Record<(typeof FILTERS)[number], string>>

export function readFilters(query: URLSearchParams): RequestFilters {
  const given = FILTERS.map(name => [name, query.get(name)] as const).filter(([, value]) => value)
  return Object.fromEntries(given)
}

/** Query of the API. A period is counted from `nowMs`. */
export function toQuery(
  { session, text, since, ...filters }: RequestFilters,
  server: string,
  environment: string,
  nowMs = Date.now(),
): Query {
  const minutes = PERIODS[since ?? '']?.[1]
  return {
    server,
    environment,
    ...filters,
    sessionId: session,
    grep: text,
    since: minutes && new Date(nowMs - minutes * 60_000).toISOString(),
  }
}

/** Instances write records at the same time, so a record may be written after later ones. */
const OVERLAP_MS = 5000
/** With no record at all, every record is new. */
const BEFORE_ALL = '2000-01-01T00:00:00.000Z'

/** Start of the stream after a list: its newest record with some overlap, but not before the start that the user chose. */
export function streamStart(newest: string | undefined, since: Query[string]): string {
  const start = newest === undefined ? BEFORE_ALL : new Date(Date.parse(newest) - OVERLAP_MS).toISOString()
  return typeof since === 'string' && since > start ? since : start
}
