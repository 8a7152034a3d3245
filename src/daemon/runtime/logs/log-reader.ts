import { open } from 'node:fs/promises'
import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { MAX_LINE_BYTES, parseStructured, printedLine } from './log-line.ts'
import type { Segment } from './log-segments.ts'

/** Read position in each instance's log by key (`originOf`): segment number and byte offset. */
export type LogPosition = Record<string, LinePosition>

const CHUNK_BYTES = 65_536
/** Minimum size of one read. Leaves space for lines written since the file was listed. */
const MIN_READ_BYTES = 4096

/**
 * Lines of instances after a position, merged by time. An unterminated last line is still being written, so it is left for the
 * next reader.
 */
export class LogReader {
  readonly position: LogPosition
  readonly #cursors: InstanceCursor[]

  private constructor(position: LogPosition, cursors: InstanceCursor[]) {
    this.position = position
    this.#cursors = cursors
  }

  static open(logs: ReadonlyMap<string, Segment[]>, from: LogPosition = {}): LogReader {
    const position: LogPosition = {}
    const cursors: InstanceCursor[] = []
    for (const [key, segments] of logs) {
      // Instances without files are omitted from the position, so that tokens stay small.
      if (from[key]) position[key] = from[key]
      cursors.push(new InstanceCursor(key, segments, position))
    }
    return new LogReader(position, cursors)
  }

  /** Next line by time. Undefined at the end. Later lines need a new reader. */
  async next(): Promise<LogLine | undefined> {
    let earliest: InstanceCursor | undefined
    for (const cursor of this.#cursors) {
      // Awaits only if no line is parsed yet, because this loop visits every instance for each line.
      const line = cursor.current ?? (await cursor.peek())
      if (line && (!earliest || line.timestamp < earliest.current!.timestamp)) earliest = cursor
    }
    return earliest?.take()
  }

  async close(): Promise<void> {
    await Promise.all(this.#cursors.map(cursor => cursor.close()))
  }
}

/** Reads one instance's segments in order and updates the shared position after each line. */
class InstanceCursor {
  current: LogLine | undefined
  #currentEnd = 0
  readonly #key: string
  readonly #segments: Segment[]
  readonly #position: LogPosition
  #file: Awaited<ReturnType<typeof open>> | undefined
  #pending: Buffer = Buffer.alloc(0)
  #readOffset = 0
  /** Avoids re-reading the end of the file for each line of another instance. */
  #isAtEnd = false
  /** Time of lines without a timestamp. */
  #lastTimestamp: string

  constructor(key: string, segments: Segment[], position: LogPosition) {
    this.#key = key
    this.#position = position
    const start = position[key]
    this.#segments = start ? segments.filter(segment => segment.number >= start.segment) : segments
    const first = this.#segments[0]
    this.#lastTimestamp = new Date(first?.modifiedMs ?? 0).toISOString()
    if (first) {
      const offset = start && start.segment === first.number ? start.offset : 0
      position[key] = { segment: first.number, offset }
      this.#readOffset = offset
      // A file that has been read completely is not opened.
      this.#isAtEnd = this.#segments.length === 1 && offset >= first.size
    }
  }

  async peek(): Promise<LogLine | undefined> {
    while (!this.current && !this.#isAtEnd) {
      const segment = this.#segments[0]
      if (!segment) return undefined
      const at = { segment: segment.number, offset: this.#readOffset - this.#pending.length }
      const text = await this.#readLine(segment)
      if (text !== undefined)
        this.current =
          parseStructured(text, this.#key, at) ?? printedLine(text, this.#key, this.#lastTimestamp, at)
      else if (this.#segments.length === 1) this.#isAtEnd = true
      else await this.#nextSegment()
    }
    return this.current
  }

  take(): LogLine {
    const line = this.current!
    this.current = undefined
    this.#lastTimestamp = line.timestamp
    this.#position[this.#key] = { segment: this.#segments[0]!.number, offset: this.#currentEnd }
    return line
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #nextSegment(): Promise<void> {
    await this.close()
    this.#segments.shift()
    this.#pending = Buffer.alloc(0)
    this.#readOffset = 0
    this.#position[this.#key] = { segment: this.#segments[0]!.number, offset: 0 }
  }

  async #readLine(segment: Segment): Promise<string | undefined> {
    this.#file ??= await open(segment.path, 'r')
    let end = this.#pending.indexOf(10)
    while (end === -1 && this.#pending.length < MAX_LINE_BYTES) {
      const length = Math.min(CHUNK_BYTES, Math.max(MIN_READ_BYTES, segment.size - this.#readOffset))
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(length), 0, length, this.#readOffset)
      if (bytesRead === 0) return undefined
      this.#readOffset += bytesRead
      this.#pending = Buffer.concat([this.#pending, buffer.subarray(0, bytesRead)])
      end = this.#pending.indexOf(10)
    }
    const cut = end === -1 ? this.#pending.length : end
    const line = this.#pending.toString('utf8', 0, cut)
    this.#pending = this.#pending.subarray(end === -1 ? cut : cut + 1)
    this.#currentEnd = this.#readOffset - this.#pending.length
    return line
  }
}
