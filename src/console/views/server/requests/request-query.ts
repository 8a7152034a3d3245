import type { Query } from '../../../api/client.ts'
import { toTimeRange } from '../../../components/filters/time-range.ts'

/** Query parameters that filter by the value of a field. */
export const FIELD_FILTERS = ['method', 'tool', 'session', 'caller'] as const

/** Query parameters that filter requests. */
export const REQUEST_FILTERS = ['show', 'outcome', 'text', 'since', 'until', ...FIELD_FILTERS] as const

/** Value of `show` for all requests. Without it, handshakes, lists and the like are left out. */
export const ALL_REQUESTS = 'all'

export type RequestFilters = Partial<Record<(typeof REQUEST_FILTERS)[number], string>>

/** Query for the API. A period is counted back from `nowMs`. */
export function toQuery(
  { show, outcome, text, since, until, method, tool, session, caller }: RequestFilters,
  server: string,
  environment: string,
  nowMs?: number,
): Query {
  return {
    server,
    environment,
    outcome,
    method,
    tool,
    sessionId: session,
    caller,
    grep: text,
    // With `kind: call`, a method such as `initialize` would match nothing.
    kind: show === ALL_REQUESTS || method !== undefined ? undefined : 'call',
    ...toTimeRange({ since, until }, nowMs),
  }
}

/** Instances write records concurrently, so a record may be written after records with a later time. */
const OVERLAP_MS = 5000
/** Earlier than any record. Without a known record, every record is new. */
const BEFORE_ALL = '2000-01-01T00:00:00.000Z'

/** Start of the stream that continues a list: shortly before the newest listed record, but not before the chosen start. */
export function streamStart(newest: string | undefined, since: Query[string]): string {
  const start = newest === undefined ? BEFORE_ALL : new Date(Date.parse(newest) - OVERLAP_MS).toISOString()
  return typeof since === 'string' && since > start ? since : start
}
