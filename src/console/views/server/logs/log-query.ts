import type { Query } from '../../../api/client.ts'
import { toTimeRange } from '../../../components/filters/time-range.ts'
import type { LogLine } from '../../../components/log/log-text.ts'
import type { QueryChanges } from '../../../router/router.ts'

/** Query parameters that filter by the value of a field. */
export const FIELD_FILTERS = ['tool', 'session', 'request', 'instance'] as const

/** Query parameters that filter a log. */
export const LOG_FILTERS = ['level', 'text', 'since', 'until', ...FIELD_FILTERS] as const

export type LogFilters = Partial<Record<(typeof LOG_FILTERS)[number], string>>

/** Query for the API. A period is counted back from `nowMs`. */
export function toLogQuery(
  { level, text, since, until, tool, session, request, instance }: LogFilters,
  environment: string,
  nowMs?: number,
): Query {
  return {
    environment,
    level,
    grep: text,
    tool,
    sessionId: session,
    requestId: request,
    instance,
    ...toTimeRange({ since, until }, nowMs),
  }
}

/** Filters for the lines with the same value of a field. */
export function logFieldFilter(field: string, line: LogLine): QueryChanges | undefined {
  const { tool, sessionId, requestId, instance } = line as LogLine & Record<string, unknown>
  const changes = {
    tool: { tool },
    sessionId: { session: sessionId },
    // Ids of requests are only unique within a session.
    requestId: { request: requestId, session: sessionId },
    instance: { instance },
  }[field]
  if (!changes) return undefined
  const given = Object.entries(changes).filter(([, value]) => typeof value === 'string')
  return given.length === 0 ? undefined : (Object.fromEntries(given) as QueryChanges)
}
