import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { TenantLog } from '../log/tenant-log.ts'
import { bare, clearTimer, indexOf, setTimer, slice, uncurryThis } from './intrinsics.ts'
import { OutputLimit } from './output-limit.ts'

const REPORT_EVERY_MS = 1000
/** A longer line is written before its end arrives. */
const MAX_LINE_CHARACTERS = 64 * 1024

const decode = uncurryThis<StringDecoder, [chunk: Buffer], string>(StringDecoder.prototype.write)

export type OutputStream = 'stdout' | 'stderr'

/** Writes the output of a server's code to its log, line by line and rate-limited. */
export class UserOutput {
  readonly stdout = this.#streamOf('stdout')
  readonly stderr = this.#streamOf('stderr')
  readonly #log: TenantLog
  readonly #limit = new OutputLimit()
  readonly #unfinished: Record<OutputStream, string> = bare({ stdout: '', stderr: '' })
  #report: NodeJS.Timeout | undefined

  constructor(log: TenantLog) {
    this.#log = log
  }

  write(stream: OutputStream, text: string): void {
    const all = this.#unfinished[stream] + text
    let from = 0
    for (let end = indexOf(all, '\n'); end !== -1; end = indexOf(all, '\n', from)) {
      this.#line(stream, slice(all, from, end))
      from = end + 1
    }
    const isTooLong = all.length - from > MAX_LINE_CHARACTERS
    if (isTooLong) this.#line(stream, slice(all, from))
    this.#unfinished[stream] = isTooLong ? '' : slice(all, from)
  }

  /** Writes unfinished lines and the report about dropped output. */
  finish(): void {
    if (this.#unfinished.stdout) this.write('stdout', '\n')
    if (this.#unfinished.stderr) this.write('stderr', '\n')
    this.#reportDropped()
  }

  #line(stream: OutputStream, line: string): void {
    // 100 bytes for the line's timestamp, level and other members.
    if (this.#limit.allows(line.length + 100)) this.#log.output(stream, line)
    else this.#report ??= setTimer(() => this.#reportDropped(), REPORT_EVERY_MS)
  }

  #reportDropped(): void {
    clearTimer(this.#report)
    this.#report = undefined
    const dropped = this.#limit.takeReport()
    if (dropped !== undefined) this.#log.server('warn', dropped)
  }

  #streamOf(name: OutputStream): Writable {
    const decoder = new StringDecoder()
    return new Writable({
      decodeStrings: true,
      write: (chunk: Buffer, _encoding, done) => {
        this.write(name, decode(decoder, chunk))
        done()
      },
    })
  }
}
