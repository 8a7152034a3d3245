import { readFileSync } from 'node:fs'

const CHECK_INTERVAL_MS = 1000
/** Time that an engine on a busy machine may take to report that a container has stopped. */
const RECENT_MS = 5000

/**
 * Detects processes that the kernel killed because memory ran out. Engines detect such kills in their containers if they can
 * watch the control group. If they cannot (podman on hybrid hierarchies), the kernel still counts all kills.
 */
export class OomWatch {
  readonly #timer: NodeJS.Timeout
  #count = countKills()
  #seenAt = Number.NEGATIVE_INFINITY

  constructor() {
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref()
  }

  /** True when any process of the machine was killed in the last few seconds. False if the kernel does not count kills. */
  hasSeenKill(): boolean {
    this.#check()
    return performance.now() - this.#seenAt < RECENT_MS
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const count = countKills()
    if (count > this.#count) this.#seenAt = performance.now()
    this.#count = count
  }
}

/** Kills since the machine started, also in control groups: https://docs.kernel.org/admin-guide/mm/concepts.html#oom-killer */
function countKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0 // not Linux
  }
}
