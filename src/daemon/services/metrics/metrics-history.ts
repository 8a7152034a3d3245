import type { MetricsHistory } from '../../../shared/contract/monitoring/metrics.ts'
import { HostingError } from '../../../shared/errors.ts'
import { RequestTally, type SeriesCounts, tallyOf } from '../../../shared/instances/request-tally.ts'

const MINUTE_MS = 60_000
/** Steps in minutes. The default is the shortest that gives at most `POINTS` points. */
const STEPS = [1, 5, 15, 60, 180]
const POINTS = 60
const MAX_POINTS = 10_080

export interface HistoryQuery {
  since?: string | undefined
  until?: string | undefined
  /** A multiple of 60. */
  stepSeconds?: number | undefined
}

/** In Unix minutes. `until` is exclusive, and the last step may end after it. */
export interface HistoryRange {
  since: number
  until: number
  step: number
}

/** The last hour by default. Throws INVALID_REQUEST. */
export function toRange({ since, until, stepSeconds }: HistoryQuery, now: string): HistoryRange {
  const untilMs = Date.parse(until ?? now)
  const sinceMs = since === undefined ? untilMs - 60 * MINUTE_MS : Date.parse(since)
  if (sinceMs >= untilMs)
    throw new HostingError('INVALID_REQUEST', `since (${since}) must be before until (${until ?? now}).`)
  const minutes = Math.ceil((untilMs - sinceMs) / MINUTE_MS)
  const step = stepSeconds ? stepSeconds / 60 : (STEPS.find(one => minutes / one <= POINTS) ?? STEPS.at(-1)!)
  if (minutes / step > MAX_POINTS)
    throw new HostingError(
      'INVALID_REQUEST',
      `The period has ${Math.ceil(minutes / step)} points, more than ${MAX_POINTS}. Use a longer step or a shorter period.`,
    )
  // Steps start at multiples of their length, so that repeated requests return the same points.
  const first = Math.floor(sinceMs / MINUTE_MS / step) * step
  return { since: first, until: Math.floor(untilMs / MINUTE_MS) + 1, step }
}

/** Sums per-minute counts into the steps of the range. The minutes must be within the range. */
export function toHistory(
  id: string,
  { since, until, step }: HistoryRange,
  minutes: readonly (SeriesCounts & { minute: number })[],
): MetricsHistory {
  const whole = new RequestTally()
  const byTool = new Map<string, RequestTally>()
  const points = Array.from({ length: Math.ceil((until - since) / step) }, () => new RequestTally())
  for (const { minute, method: _method, tool, ...counts } of minutes) {
    whole.add(counts)
    if (tool !== '') tallyOf(byTool, tool).add(counts)
    points[Math.floor((minute - since) / step)]!.add(counts)
  }
  return {
    id,
    since: toTime(since),
    until: toTime(until),
    stepSeconds: step * 60,
    requests: whole.summary(),
    points: points.map((point, index) => ({ timestamp: toTime(since + index * step), ...point.summary() })),
    tools: [...byTool]
      .map(([tool, tally]) => ({ tool, ...tally.summary() }))
      .sort((a, b) => b.total - a.total),
  }
}

function toTime(minute: number): string {
  return new Date(minute * MINUTE_MS).toISOString()
}
