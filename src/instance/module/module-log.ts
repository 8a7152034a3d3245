import { OutputLimit } from '../isolation/output-limit.ts'
import type { ServerReporter } from '../server/prepared-server.ts'

type Level = Parameters<ServerReporter['log']>[0]

const REPORT_EVERY_MS = 1000

/** Writes log messages and errors of handlers to the deployment's log, limited to the rate of printed output. */
export class ModuleLog {
  /** Messages are dropped until this is set. */
  reporter: ServerReporter | undefined
  readonly #limit = new OutputLimit()
  #report: NodeJS.Timeout | undefined

  write(level: Level, message: string): void {
    // 100 bytes for the line's timestamp, level and other members.
    if (this.#limit.allows(message.length + 100)) this.reporter?.log(level, message)
    else this.#report ??= setTimeout(() => this.#reportDropped(), REPORT_EVERY_MS).unref()
  }

  #reportDropped(): void {
    this.#report = undefined
    const dropped = this.#limit.takeReport()
    if (dropped !== undefined) this.reporter?.log('warn', dropped)
  }
}
