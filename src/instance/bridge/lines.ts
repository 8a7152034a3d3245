const LINE_FEED = 0x0a
/** What is kept of the ends of a line that is too long: enough to see whose answer it was. */
const KEPT_BYTES = 512

export interface LineReaderOptions {
  /** A longer line is not kept. */
  maxBytes: number
  onLine(line: string): void
  /** `start` and `end` of a line that was too long. */
  onLongLine(start: string, end: string, bytes: number): void
}

/** Cuts a stream of bytes into lines of UTF-8. */
export class LineReader {
  readonly #options: LineReaderOptions
  /** The parts of a line whose end has not come yet. */
  #parts: Buffer[] = []
  #bytes = 0

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  read(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      // Most lines lie in one chunk, and are read off it without a copy.
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

  /** The stream is over: what came without a line feed is a line too. */
  end(): void {
    if (this.#bytes > 0) this.#finish()
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    this.#parts.push(part)
    if (this.#bytes > this.#options.maxBytes && this.#parts.length > 2) this.#shorten()
  }

  /** Keeps the ends alone, so that a line without an end cannot fill the memory. */
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
