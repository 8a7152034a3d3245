import { median, PLAIN_ENV, runNode, timeMs } from './measure.ts'
import type { Figure } from './report.ts'

/** Start time of a bare Node on the machine to which limits in milliseconds apply. */
const REFERENCE_START_MS = 33
/** Odd, and large enough that one slow start does not change the median. */
const STARTS = 3

/** Duration of something, and of the start of a bare Node immediately before it. */
export interface Duration {
  ms: number
  bareMs: number
}

/** Milliseconds that a bare Node takes to start now: the median of three starts. */
export async function bareStartMs(): Promise<number> {
  const starts: number[] = []
  while (starts.length < STARTS) starts.push(await timeMs(() => runNode(['-e', '0'], PLAIN_ENV)))
  return median(starts)
}

/** Measures bare starts, then `work`. */
export async function measureDuration(work: () => Promise<unknown>): Promise<Duration> {
  const bareMs = await bareStartMs()
  return { ms: await timeMs(work), bareMs }
}

/**
 * Figure of a duration, measured in bare starts of Node, so that it can be compared between machines: the median of the rounds.
 * `limitMs` applies to a machine that starts a bare Node in 33 ms, so the limit is `limitMs` divided by 33 ms.
 */
export function durationFigure(name: string, rounds: readonly Duration[], limitMs?: number): Figure {
  const measured = median(rounds.map(({ ms, bareMs }) => ms / bareMs))
  const value = `${formatMs(median(rounds.map(({ ms }) => ms)), 1)}, ${measured.toFixed(2)}× a bare start`
  if (limitMs === undefined) return { name, value, measured }
  const unit = `× (${formatMs(limitMs, 0)} at ${REFERENCE_START_MS} ms)`
  return { name, value, measured, limit: { at: 'most', value: limitMs / REFERENCE_START_MS, unit } }
}

/** Below one second, milliseconds with `digits` decimals. Otherwise, seconds with twice as many decimals. */
function formatMs(ms: number, digits: number): string {
  return ms < 1000 ? `${ms.toFixed(digits)} ms` : `${(ms / 1000).toFixed(2 * digits)} s`
}
