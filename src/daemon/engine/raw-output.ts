import { appendFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { LogLine } from '../../shared/instances/log-line.ts'

const BYTES_PER_SECOND = 64 * 1024
const BURST_BYTES = 512 * 1024
const MAX_LINE_CHARACTERS = 16 * 1024
/** Maximum length of `tail`. Enough for V8's report on an out-of-memory error. */
const TAIL_CHARACTERS = 8192

type Stream = 'stdout' | 'stderr'
type Source = Record<Stream, NodeJS.ReadableStream | null>

/**
 * Output of a process with user code to descriptors 1 and 2, outside its log: fatal errors of V8, warnings of Node, and
 * output of code that escapes the sandbox. It is wrapped in log lines and limited, so that it can neither forge a log line
 * nor fill the disk.
 */
export class RawOutput {
  /** The last characters of the output. */
  tail = ''
  readonly #logPath: () => string
  #left = BURST_BYTES
  #filledAt = performance.now()
  #dropped = 0

  constructor(source: Source, logPath: () => string) {
    this.#logPath = logPath
    for (const stream of ['stdout', 'stderr'] as const) if (source[stream]) this.#read(stream, source[stream])
  }

  #read(stream: Stream, input: NodeJS.ReadableStream): void {
    const decoder = new StringDecoder()
    let unfinished = ''
    input.on('data', (chunk: Buffer) => {
      const lines = (unfinished + decoder.write(chunk)).split('\n')
      unfinished = lines.pop()!
      if (unfinished.length > MAX_LINE_CHARACTERS) lines.push(unfinished)
      if (unfinished.length > MAX_LINE_CHARACTERS) unfinished = ''
      this.#write(stream, lines)
    })
    input.on('end', () => this.#write(stream, unfinished === '' ? [] : [unfinished]))
    input.on('error', () => {}) // the process has exited
  }

  #write(stream: Stream, lines: string[]): void {
    if (lines.length > 0) this.tail = `${this.tail}${lines.join('\n')}\n`.slice(-TAIL_CHARACTERS)
    const kept = lines.filter(line => this.#isWithinRate(line.length + 100))
    const dropped = kept.length > 0 ? this.#takeDropped() : []
    const text = [...dropped, ...kept.map(line => lineOf(stream, line))].map(line => `${line}\n`).join('')
    if (text === '') return
    try {
      appendFileSync(this.#logPath(), text, { mode: 0o600 })
    } catch {
      this.#dropped += kept.length // full disk, but the tail is kept in memory
    }
  }

  #isWithinRate(bytes: number): boolean {
    const now = performance.now()
    this.#left = Math.min(BURST_BYTES, this.#left + ((now - this.#filledAt) / 1000) * BYTES_PER_SECOND)
    this.#filledAt = now
    if (this.#left < bytes) {
      this.#dropped++
      return false
    }
    this.#left -= bytes
    return true
  }

  #takeDropped(): string[] {
    if (this.#dropped === 0) return []
    const message = `${this.#dropped} lines of raw output were dropped, because the process printed more than ${BYTES_PER_SECOND / 1024} KB per second or the disk was full`
    this.#dropped = 0
    return [lineOf('stderr', message)]
  }
}

function lineOf(stream: Stream, text: string): string {
  const message = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text
  const line: LogLine = {
    timestamp: new Date().toISOString(),
    level: stream === 'stderr' ? 'error' : 'info',
    stream,
    message,
  }
  return JSON.stringify(line)
}
