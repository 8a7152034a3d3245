import { setImmediate } from 'node:timers/promises'
import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { BackwardCursor } from './backward-cursor.ts'
import { type LogFilter, matchesFilter } from './log-filter.ts'
import type { LogPosition } from './log-reader.ts'
import { keyOf, type Segment } from './log-segments.ts'

/** Yields to other work after this many lines, because merging lines of many small files never waits for a disk. */
const LINES_PER_TURN = 500

/** The positions of more instances would not fit into a URL. Other instances are read again from their end. */
const MAX_POSITIONS = 64

/** End of an earlier page of the newest lines. */
export interface OlderThan {
  /** Time of the page's last line. */
  timestamp: string
  /** Position of the oldest line that the page read from each instance. Other instances are read from their end. */
  before: LogPosition
}

/**
 * The last matching lines, latest first. Reads backwards from the end. `end`: the end of the log. A file is only opened when
 * its last line may be next, because earlier deployments may have left many files. `next`: for the next page, undefined when
 * the lines ran out. `scan`: maximum number of lines to read.
 */
export async function readTail(
  logs: ReadonlyMap<string, Segment[]>,
  filter: LogFilter,
  count: number,
  { from, scan = Number.POSITIVE_INFINITY }: { from?: OlderThan | undefined; scan?: number } = {},
): Promise<{ lines: LogLine[]; end: LogPosition; next: OlderThan | undefined }> {
  const cursors = openCursors(logs, from)
  const lines: LogLine[] = []
  // Instances that were read last come last, because `newestOf` keeps their positions. Others are read again from their end,
  // down to the time of the last line.
  const before = new Map(Object.entries(from?.before ?? {}))
  let last: LogLine | undefined
  try {
    for (let read = 1, skipped = 0; lines.length < count && read - skipped <= scan; read++) {
      if (read % LINES_PER_TURN === 0) await setImmediate()
      last = await takeLatest(cursors)
      if (!last || (filter.since && last.timestamp < filter.since)) {
        last = undefined
        break
      }
      before.delete(keyOf(last))
      before.set(keyOf(last), last.at!)
      // Not counted. Otherwise an instance that is read again from its end could keep the page from advancing.
      if (isNewer(last, from)) skipped++
      else if (matchesFilter(last, filter)) lines.push(last)
    }
    const end = Object.fromEntries(cursors.map(({ key, end }) => [key, end]))
    return { lines, end, next: last && { timestamp: last.timestamp, before: newestOf(before) } }
  } finally {
    await Promise.all(cursors.map(cursor => cursor.close()))
  }
}

function openCursors(logs: ReadonlyMap<string, Segment[]>, from: OlderThan | undefined): BackwardCursor[] {
  return [...logs]
    .map(([key, segments], order) => ({ key, segments: upTo(segments, from?.before[key]), order }))
    .filter(({ segments }) => segments.length > 0)
    .map(({ key, segments, order }) => new BackwardCursor(key, segments, order))
    .sort((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
}

/** The part of a log before a position. */
function upTo(segments: readonly Segment[], position: LinePosition | undefined): Segment[] {
  if (!position) return [...segments]
  return segments
    .filter(({ number }) => number <= position.segment)
    .map(one =>
      one.number === position.segment ? { ...one, size: Math.min(one.size, position.offset) } : one,
    )
}

function newestOf(positions: ReadonlyMap<string, LinePosition>): LogPosition {
  return Object.fromEntries([...positions].slice(-MAX_POSITIONS))
}

/** True for a line newer than the earlier page, from an instance whose position the page does not have. */
function isNewer(line: LogLine, from: OlderThan | undefined): boolean {
  return from !== undefined && !from.before[keyOf(line)] && line.timestamp > from.timestamp
}

/** Prefers the last instance for equal timestamps. `LogReader`, which reads forwards, prefers the first. */
async function takeLatest(cursors: readonly BackwardCursor[]): Promise<LogLine | undefined> {
  let latest: BackwardCursor | undefined
  for (const cursor of cursors) {
    if (latest && cursor.modifiedAt < latest.current!.timestamp) continue
    // Awaits only if no line is parsed yet, because this loop visits every instance for each line.
    const line = cursor.current ?? (await cursor.peek())
    if (line && (!latest || isLater(cursor, latest))) latest = cursor
  }
  return latest?.take()
}

function isLater(a: BackwardCursor, b: BackwardCursor): boolean {
  const [left, right] = [a.current!.timestamp, b.current!.timestamp]
  return left === right ? a.order > b.order : left > right
}
