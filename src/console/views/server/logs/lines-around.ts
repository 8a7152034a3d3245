import type { ServerLogPage } from '../../../../shared/contract/monitoring/log-pages.ts'
import { type Query, request } from '../../../api/client.ts'
import { lineMatcher, parseLineKey } from '../../../components/log/line-key.ts'
import type { LogLine } from '../../../components/log/log-text.ts'

/** Lines before and after the one that is searched. */
const LINES = 1000

interface LinesAround {
  /** Lines around the searched one, oldest first. */
  lines: readonly LogLine[]
  isFound: boolean
  /** There are newer lines than these. */
  hasMore: boolean
}

/** Searches a line that may be older than the lines that are loaded first. */
export async function linesAround(
  path: string,
  { tail: _, ...filters }: Query,
  key: string,
  signal: AbortSignal,
): Promise<LinesAround> {
  const wanted = parseLineKey(key)
  if (!wanted || wanted.timeMs >= MAX_TIME_MS) return { lines: [], isFound: false, hasMore: false }
  // A line is found in both parts if its time changed, as that of output without a time may.
  const end = new Date(wanted.timeMs + 1).toISOString()
  const page = (query: Query) => request<ServerLogPage>('GET', path, { query, signal })
  const [before, after] = await Promise.all([
    page({ ...filters, until: earlier(filters.until, end), tail: LINES }),
    page({ ...filters, since: later(filters.since, end), limit: LINES }),
  ])
  const lines = [...before.lines, ...after.lines]
  return { lines, isFound: lines.some(lineMatcher(wanted)), hasMore: after.nextToken !== null }
}

/** The last time of JavaScript. */
const MAX_TIME_MS = 8.64e15

function earlier(given: Query[string], time: string): string {
  return typeof given === 'string' && given < time ? given : time
}

function later(given: Query[string], time: string): string {
  return typeof given === 'string' && given > time ? given : time
}
