import { OutputLimit } from '../isolation/output-limit.ts'
import type { ServerOutlet } from '../prepared-server.ts'

type Level = Parameters<ServerOutlet['log']>[0]

const REPORT_EVERY_MS = 1000

/** What handlers log and what they fail of, as lines of the deployment's log, at the rate of what they may print. */
export class ModuleLog {
  /** Until it is there nothing is written. */
  outlet: ServerOutlet | undefined
  readonly #limit = new OutputLimit()
  #report: NodeJS.Timeout | undefined

  write(level: Level, message: string): void {
    // The line's time, level and so on are written too.
    if (this.#limit.takes(message.length + 100)) this.outlet?.log(level, message)
    else this.#report ??= setTimeout(() => this.#tellDropped(), REPORT_EVERY_MS).unref()
  }

  #tellDropped(): void {
    this.#report = undefined
    const dropped = this.#limit.takeReport()
    if (dropped !== undefined) this.outlet?.log('warn', dropped)
  }
}
