import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { TenantLog } from '../log/tenant-log.ts'
import { OutputLimit } from './output-limit.ts'

const REPORT_EVERY_MS = 1000
/** A line without an end is cut there. */
const MAX_LINE_CHARACTERS = 64 * 1024

export type OutputStream = 'stdout' | 'stderr'

/** What the code of a server prints, as lines of its log, at a rate that no disk minds. */
export class UserOutput {
  readonly stdout = this.#streamOf('stdout')
  readonly stderr = this.#streamOf('stderr')
  readonly #log: TenantLog
  readonly #limit = new OutputLimit()
  readonly #unfinished: Record<OutputStream, string> = { stdout: '', stderr: '' }
  #report: NodeJS.Timeout | undefined

  constructor(log: TenantLog) {
    this.#log = log
  }

  write(stream: OutputStream, text: string): void {
    const lines = (this.#unfinished[stream] + text).split('\n')
    const rest = lines.pop()!
    this.#unfinished[stream] = rest.length > MAX_LINE_CHARACTERS ? '' : rest
    if (rest.length > MAX_LINE_CHARACTERS) lines.push(rest)
    for (const line of lines) this.#line(stream, line)
  }

  /** What is not yet a line, and what was dropped. */
  finish(): void {
    for (const stream of ['stdout', 'stderr'] as const) if (this.#unfinished[stream]) this.write(stream, '\n')
    this.#tellDropped()
  }

  #line(stream: OutputStream, line: string): void {
    // The line's time, level and so on are written too.
    if (this.#limit.takes(line.length + 100)) this.#log.output(stream, line)
    else this.#report ??= setTimeout(() => this.#tellDropped(), REPORT_EVERY_MS).unref()
  }

  #tellDropped(): void {
    clearTimeout(this.#report)
    this.#report = undefined
    const dropped = this.#limit.takeReport()
    if (dropped !== undefined) this.#log.server('warn', dropped)
  }

  #streamOf(name: OutputStream): Writable {
    const decoder = new StringDecoder()
    return new Writable({
      decodeStrings: true,
      write: (chunk: Buffer, _encoding, done) => {
        this.write(name, decoder.write(chunk))
        done()
      },
    })
  }
}
