import type { Readable } from 'node:stream'

const LINE_FEED = 0x0a
/** Bytes kept from each end of a line that is too long, enough to recognize which request it answers. */
const KEPT_BYTES = 512

export interface LineReaderOptions {
  /** Longer lines are dropped. */
  maxBytes: number
  onLine(line: string): void
  /** `start` and `end` are the ends of a line that was too long. */
  onLongLine(start: string, end: string, bytes: number): void
}

/** Reads lines from a process's pipe. Ignores pipe errors, because the exit of the process is reported anyway. */
export function readLines(pipe: Readable, options: LineReaderOptions): void {
  const reader = new LineReader(options)
  pipe.on('data', chunk => reader.read(chunk))
  pipe.on('end', () => reader.end())
  pipe.on('error', () => {})
}

/** Like `readLines`, but reports the start of a line that is too long. */
export function readOutput(pipe: Readable, maxBytes: number, onLine: (line: string) => void): void {
  readLines(pipe, {
    maxBytes,
    onLine,
    onLongLine: (start, _end, bytes) => onLine(`${start}… (${bytes} bytes)`),
  })
}

/** Splits a byte stream into UTF-8 lines. */
export class LineReader {
  readonly #options: LineReaderOptions
  /** Parts of the unfinished line. */
  #parts: Buffer[] = []
  #bytes = 0

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  read(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      // Most lines are in one chunk and are decoded without a copy.
      if (this.#bytes === 0 && end - start <= this.#options.maxBytes)
        this.#options.onLine(chunk.toString('utf8', start, end))
      else {
        this.#add(chunk.subarray(start, end))
        this.#finish()
      }
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  /** Must be called at the end of the stream. A last line without a line feed is reported as well. */
  end(): void {
    if (this.#bytes > 0) this.#finish()
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    this.#parts.push(part)
    if (this.#bytes > this.#options.maxBytes && this.#parts.length > 2) this.#shorten()
  }

  /** Keeps only the ends, so that an endless line cannot exhaust the memory. */
  #shorten(): void {
    const all = Buffer.concat(this.#parts)
    this.#parts = [
      Buffer.from(all.subarray(0, KEPT_BYTES)),
      Buffer.from(all.subarray(Math.max(KEPT_BYTES, all.length - KEPT_BYTES))),
    ]
  }

  #finish(): void {
    const [line, bytes] = [Buffer.concat(this.#parts), this.#bytes]
    this.#parts = []
    this.#bytes = 0
    if (bytes <= this.#options.maxBytes) return this.#options.onLine(line.toString('utf8'))
    this.#options.onLongLine(
      line.toString('utf8', 0, KEPT_BYTES),
      line.toString('utf8', Math.max(0, line.length - KEPT_BYTES)),
      bytes,
    )
  }
}
