import type { LogLine } from '../../shared/instance-protocol.ts'
import { OutputLimit } from '../isolation/output-limit.ts'
import type { ServerOutlet } from '../prepared-server.ts'

const MAX_WAITING = 200

/** What a program says before its tenant is served waits here for the tenant's log. */
export class EarlyOutlet implements ServerOutlet {
  readonly #limit = new OutputLimit()
  readonly #warned = new Set<string>()
  #target: ServerOutlet | undefined
  #waiting: Parameters<ServerOutlet['log']>[] = []

  attach(target: ServerOutlet): void {
    this.#target = target
    for (const line of this.#waiting) target.log(...line)
    this.#waiting = []
  }

  log(level: LogLine['level'], message: string, stream?: LogLine['stream']): void {
    if (this.#target) this.#target.log(level, message, stream)
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push([level, message, stream])
  }

  /** Logs each sentence about the program once, however often it is started. */
  warnOnce(gaps: readonly string[] = []): void {
    for (const gap of gaps) {
      if (this.#warned.has(gap)) continue
      this.#warned.add(gap)
      this.log('warn', `the program ${gap}`)
    }
  }

  /** A line that the program printed; what is too much is counted and told. */
  print(stream: 'stdout' | 'stderr', line: string): void {
    if (!this.#limit.takes(line.length)) return
    const report = this.#limit.takeReport()
    if (report !== undefined) this.log('warn', report)
    this.log('info', line, stream)
  }

  /** One that comes before its tenant is served tells of no request. */
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
