import type { ServerLogPage } from '../../../../shared/contract/monitoring/log-pages.ts'
import { type Query, request } from '../../../api/client.ts'
import { lineMatcher, parseLineKey } from '../../../components/log/line-key.ts'
import type { LogLine } from '../../../components/log/log-text.ts'

/** Number of lines to load before the wanted line, and after it. */
const LINES = 1000

interface LinesAround {
  /** Lines around the wanted one, oldest first. */
  lines: readonly LogLine[]
  isFound: boolean
  /** True if there are newer lines than these. */
  hasMore: boolean
}

/** Loads the lines around a line that may be older than the lines loaded first. */
export async function linesAround(
  path: string,
  { tail: _, ...filters }: Query,
  key: string,
  signal: AbortSignal,
): Promise<LinesAround> {
  const wanted = parseLineKey(key)
  if (!wanted || wanted.timeMs >= MAX_TIME_MS) return { lines: [], isFound: false, hasMore: false }
  // Searching both pages also finds a line whose time has changed, which can happen to output without a timestamp.
  const end = new Date(wanted.timeMs + 1).toISOString()
  const page = (query: Query) => request<ServerLogPage>('GET', path, { query, signal })
  const [before, after] = await Promise.all([
    page({ ...filters, until: earlier(filters.until, end), tail: LINES }),
    page({ ...filters, since: later(filters.since, end), limit: LINES }),
  ])
  const lines = [...before.lines, ...after.lines]
  return { lines, isFound: lines.some(lineMatcher(wanted)), hasMore: after.nextToken !== null }
}

/** The latest time that JavaScript supports. */
const MAX_TIME_MS = 8.64e15

function earlier(given: Query[string], time: string): string {
  return typeof given === 'string' && given < time ? given : time
}

function later(given: Query[string], time: string): string {
  return typeof given === 'string' && given > time ? given : time
}
