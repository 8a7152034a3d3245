import type { LogStore } from './logs.ts'
import type { Supervisor } from './supervisor.ts'

const CHECK_MS = 60_000
/** Every so many looks, what was written too long ago is forgotten: once an hour. */
const LOOKS_PER_PRUNE = 60

/**
 * Looks once a minute whether the log file of a running instance is too large or too old. Of thousands of servers only
 * those that may have written since the last look are looked at, and all of them once an hour.
 */
export class LogRotator {
  readonly #timer: NodeJS.Timeout
  #busy = Promise.resolve()
  #looks = 0
  #lookedAt = 0

  constructor(supervisor: Supervisor, logs: LogStore, onError: (error: unknown) => void, checkMs = CHECK_MS) {
    this.#timer = setInterval(() => {
      const prune = ++this.#looks % LOOKS_PER_PRUNE === 0
      const since = prune ? 0 : this.#lookedAt
      this.#lookedAt = Date.now()
      this.#busy = this.#busy.then(() => rotateDue(supervisor, logs, { prune, since })).catch(onError)
    }, checkMs)
    this.#timer.unref()
  }

  /** Resolves when a rotation under way has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#busy
  }
}

async function rotateDue(
  supervisor: Supervisor,
  logs: LogStore,
  { prune, since }: { prune: boolean; since: number },
): Promise<void> {
  const running = supervisor.running(since)
  for (const { id, instanceId } of running) {
    await logs.rotateWhenDue(id, instanceId, () => supervisor.holdLog(id, instanceId))
    await logs.rotateOwnWhenDue(id)
  }
  if (!prune) return
  const instances = new Set(running.map(({ instanceId }) => instanceId))
  for (const id of await logs.ids()) await logs.prune(id, undefined, instances)
}
