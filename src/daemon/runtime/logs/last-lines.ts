import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { BackwardCursor } from './backward-cursor.ts'
import { type LogFilter, matchesFilter } from './log-filter.ts'
import type { LogPosition } from './log-reader.ts'
import { keyOf, type Segment } from './log-segments.ts'

/** Where an earlier page of the newest lines ended. */
export interface OlderThan {
  /** Time of its last line. */
  timestamp: string
  /** Its first line of each instance that it read. Others are read from their end. */
  before: LogPosition
}

/**
 * The last matching lines, latest first. Reads backwards from the end. `end`: the end of the log. A file is only opened when
 * its last line may be the next one, because earlier deployments may have left many files. `next`: for the next page,
 * undefined when there are no older lines. `scan`: maximum number of lines to read.
 */
export async function readTail(
  logs: ReadonlyMap<string, Segment[]>,
  filter: LogFilter,
  count: number,
  { from, scan = Number.POSITIVE_INFINITY }: { from?: OlderThan | undefined; scan?: number } = {},
): Promise<{ lines: LogLine[]; end: LogPosition; next: OlderThan | undefined }> {
  const cursors = openCursors(logs, from)
  const lines: LogLine[] = []
  let last: LogLine | undefined
  try {
    for (let scanned = 0; lines.length < count && scanned < scan; scanned++) {
      last = await takeLatest(cursors)
      if (!last || (filter.since && last.timestamp < filter.since)) {
        last = undefined
        break
      }
      if (matchesFilter(last, filter) && !isNewer(last, from)) lines.push(last)
    }
    const end = Object.fromEntries(cursors.map(({ key, end }) => [key, end]))
    return { lines, end, next: last && { timestamp: last.timestamp, before: positionsOf(cursors, from) } }
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

/** A line that was written since the earlier page, by an instance that it did not read. */
function isNewer(line: LogLine, from: OlderThan | undefined): boolean {
  return from !== undefined && !from.before[keyOf(line)] && line.timestamp > from.timestamp
}

/** More instances would not fit into a URL. They are read again from their end. */
const MAX_POSITIONS = 64

function positionsOf(cursors: readonly BackwardCursor[], from: OlderThan | undefined): LogPosition {
  const read = cursors.filter(({ isOpened }) => isOpened).map(({ key, before }) => [key, before] as const)
  const all = { ...from?.before, ...Object.fromEntries(read) }
  return Object.fromEntries(Object.entries(all).slice(-MAX_POSITIONS))
}

/** Prefers the last instance for equal timestamps, like `LogReader` in the other direction. */
async function takeLatest(cursors: readonly BackwardCursor[]): Promise<LogLine | undefined> {
  let latest: BackwardCursor | undefined
  for (const cursor of cursors) {
    if (latest && cursor.modifiedAt < latest.current!.timestamp) continue
    const line = await cursor.peek()
    if (line && (!latest || isLater(cursor, latest))) latest = cursor
  }
  return latest?.take()
}

function isLater(a: BackwardCursor, b: BackwardCursor): boolean {
  const [left, right] = [a.current!.timestamp, b.current!.timestamp]
  return left === right ? a.order > b.order : left > right
}
