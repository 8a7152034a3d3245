import type { LogLine } from '../../../shared/instances/log-line.ts'
import { OutputLimit } from '../../isolation/output-limit.ts'
import type { ServerReporter } from '../../server/prepared-server.ts'

const MAX_WAITING = 200
const REPORT_EVERY_MS = 1000

/** Collects what a program logs before its tenant is served, then forwards it to the tenant's log. */
export class BufferedReporter implements ServerReporter {
  readonly #limit = new OutputLimit()
  readonly #warned = new Set<string>()
  #report: NodeJS.Timeout | undefined
  #target: ServerReporter | undefined
  #waiting: Parameters<ServerReporter['log']>[] = []

  attach(target: ServerReporter): void {
    this.#target = target
    for (const line of this.#waiting) target.log(...line)
    this.#waiting = []
  }

  log(level: LogLine['level'], message: string, stream?: LogLine['stream']): void {
    if (this.#target) this.#target.log(level, message, stream)
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push([level, message, stream])
  }

  /** Logs each sentence about the program once, even if the program starts several times. */
  warnOnce(gaps: readonly string[] = []): void {
    for (const gap of gaps) {
      if (this.#warned.has(gap)) continue
      this.#warned.add(gap)
      this.log('warn', `the program ${gap}`)
    }
  }

  /** Logs a line that the program printed. Lines above the rate limit are counted and reported. */
  print(stream: 'stdout' | 'stderr', line: string): void {
    if (!this.#limit.allows(line.length)) {
      this.#report ??= setTimeout(() => this.#reportDropped(), REPORT_EVERY_MS).unref()
      return
    }
    if (this.#report) this.#reportDropped()
    this.log('info', line, stream)
  }

  #reportDropped(): void {
    clearTimeout(this.#report)
    this.#report = undefined
    const dropped = this.#limit.takeReport()
    if (dropped !== undefined) this.log('warn', dropped)
  }

  /** Copies a line from another log. Before the tenant is served, the line is logged without its request. */
  copy(line: LogLine): void {
    if (this.#target) this.#target.copy?.(line)
    else this.log(line.level, line.message, line.stream)
  }

  restarting(how: string): void {
    this.#target?.restarting?.(how)
  }

  fail(message: string): void {
    this.#target?.fail(message)
  }

  announce(list: 'tools' | 'prompts' | 'resources'): void {
    this.#target?.announce(list)
  }

  resourceUpdated(uri: string): void {
    this.#target?.resourceUpdated(uri)
  }
}
