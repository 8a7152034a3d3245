import { type FileHandle, open } from 'node:fs/promises'
import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { MAX_LINE_BYTES, parseStructured, printedLine } from './log-line.ts'
import type { Segment } from './log-segments.ts'

const CHUNK_BYTES = 65_536
const LINE_END = 10
/** Limits raw output that waits for a line with a timestamp. Otherwise the whole log could be read for one line. */
const MAX_PRINTED_CHARACTERS = 2_000_000

/** Linux takes modification times from a clock that may lag by a tick, up to 10 ms (`ktime_get_coarse_real_ts64`). */
const COARSE_CLOCK_MS = 10

/** Reads one instance's segments backwards. */
export class BackwardCursor {
  readonly key: string
  readonly order: number
  /** No line is later than this. */
  readonly modifiedAt: string
  /** End of the last complete line. End of the file before it is opened. */
  end: LinePosition
  isOpened = false
  readonly #segments: Segment[]
  /** Parsed lines, latest first. */
  readonly #ready: LogLine[] = []
  /** Raw output. It takes the timestamp of the line before it, which is read next. */
  #printed: { text: string; at: LinePosition }[] = []
  #printedCharacters = 0
  #file: FileHandle | undefined
  /** Bytes of the file from `#offset` to the end of the next line, without its line end. */
  #pending: Buffer = Buffer.alloc(0)
  #offset = 0
  /** Number and modification time of the current segment. */
  #number = 0
  #modifiedMs = 0

  constructor(key: string, segments: Segment[], order: number) {
    const last = segments.at(-1)!
    this.key = key
    this.order = order
    this.modifiedAt = new Date(last.modifiedMs + COARSE_CLOCK_MS).toISOString()
    this.end = { segment: last.number, offset: last.size }
    this.#segments = [...segments]
  }

  get current(): LogLine | undefined {
    return this.#ready[0]
  }

  async peek(): Promise<LogLine | undefined> {
    if (!this.isOpened) await this.#start()
    while (this.#ready.length === 0) {
      const previous = await this.#previousText()
      if (previous === undefined) {
        this.#flushPrinted(new Date(this.#modifiedMs).toISOString())
        break
      }
      const line = parseStructured(previous.text, this.key, previous.at)
      if (!line) this.#addPrinted(previous)
      else {
        this.#flushPrinted(line.timestamp)
        this.#ready.push(line)
      }
    }
    return this.current
  }

  take(): LogLine {
    return this.#ready.shift()!
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #start(): Promise<void> {
    this.isOpened = true
    const last = this.#segments.at(-1)!
    const hasLines = (await this.#openLast()) === last
    this.end = { segment: last.number, offset: hasLines ? this.#offset + this.#pending.length + 1 : 0 }
  }

  #addPrinted(line: { text: string; at: LinePosition }): void {
    this.#printed.push(line)
    this.#printedCharacters += line.text.length + 1
    if (this.#printedCharacters > MAX_PRINTED_CHARACTERS)
      this.#flushPrinted(new Date(this.#modifiedMs).toISOString())
  }

  #flushPrinted(timestamp: string): void {
    this.#printedCharacters = 0
    for (const { text, at } of this.#printed) this.#ready.push(printedLine(text, this.key, timestamp, at))
    this.#printed = []
  }

  async #previousText(): Promise<{ text: string; at: LinePosition } | undefined> {
    while (this.#file || (await this.#openLast())) {
      const start = this.#pending.lastIndexOf(LINE_END)
      if (start >= 0 || this.#offset === 0 || this.#pending.length >= MAX_LINE_BYTES) return this.#cut(start)
      await this.#load()
    }
    return undefined
  }

  async #cut(start: number): Promise<{ text: string; at: LinePosition }> {
    const at = { segment: this.#number, offset: this.#offset + start + 1 }
    const text = this.#pending.toString('utf8', start + 1)
    this.#pending = this.#pending.subarray(0, Math.max(0, start))
    if (start < 0 && this.#offset === 0) await this.close()
    return { text, at }
  }

  /** Skips segments without a complete line. Undefined when no segment is left. */
  async #openLast(): Promise<Segment | undefined> {
    for (let segment = this.#segments.pop(); segment; segment = this.#segments.pop()) {
      this.#number = segment.number
      this.#modifiedMs = segment.modifiedMs
      this.#file = await open(segment.path, 'r')
      this.#offset = segment.size
      this.#pending = Buffer.alloc(0)
      while (this.#offset > 0 && !this.#pending.includes(LINE_END)) await this.#load()
      const end = this.#pending.lastIndexOf(LINE_END)
      this.#pending = this.#pending.subarray(0, Math.max(0, end))
      if (end >= 0) return segment
      await this.close()
    }
    return undefined
  }

  async #load(): Promise<void> {
    const length = Math.min(CHUNK_BYTES, this.#offset)
    this.#offset -= length
    const { bytesRead, buffer } = await this.#file!.read(Buffer.alloc(length), 0, length, this.#offset)
    this.#pending = Buffer.concat([buffer.subarray(0, bytesRead), this.#pending])
  }
}
