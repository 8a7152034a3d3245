import type { LogStore } from './logs.ts'
import type { Supervisor } from './supervisor.ts'

const CHECK_MS = 60_000
/** Every so many looks, the files of instances that ended long ago are forgotten: once an hour. */
const LOOKS_PER_PRUNE = 60

/** Looks once a minute whether the log file of a running instance has grown too large. */
export class LogRotator {
  readonly #timer: NodeJS.Timeout
  #busy = Promise.resolve()
  #looks = 0

  constructor(supervisor: Supervisor, logs: LogStore, onError: (error: unknown) => void, checkMs = CHECK_MS) {
    this.#timer = setInterval(() => {
      const prune = ++this.#looks % LOOKS_PER_PRUNE === 0
      this.#busy = this.#busy.then(() => rotateLarge(supervisor, logs, prune)).catch(onError)
    }, checkMs)
    this.#timer.unref()
  }

  /** Resolves when a rotation under way has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#busy
  }
}

async function rotateLarge(supervisor: Supervisor, logs: LogStore, prune: boolean): Promise<void> {
  for (const { id, instanceId } of supervisor.running()) {
    await logs.rotateWhenLarge(id, instanceId, () => supervisor.holdLog(id, instanceId))
    await logs.rotateOwnWhenLarge(id)
    if (prune) await logs.prune(id)
  }
}
