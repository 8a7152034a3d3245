import { readFileSync } from 'node:fs'

const EVERY_MS = 1000
/** An engine on a busy machine takes a while to tell that a container has ended. */
const RECENT_MS = 5000

/**
 * Tells whether the kernel has just ended a process for want of memory. Engines know it of their containers where they can
 * watch the control group; where they cannot (podman on hybrid hierarchies), there is the kernel's own count of all.
 */
export class OomWatch {
  readonly #timer: NodeJS.Timeout
  #count = countKills()
  #seenAt = Number.NEGATIVE_INFINITY

  constructor() {
    this.#timer = setInterval(() => this.#look(), EVERY_MS).unref()
  }

  /** In the last seconds; false where the kernel does not count. */
  hasSeenKill(): boolean {
    this.#look()
    return performance.now() - this.#seenAt < RECENT_MS
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const count = countKills()
    if (count > this.#count) this.#seenAt = performance.now()
    this.#count = count
  }
}

/** https://docs.kernel.org/admin-guide/mm/concepts.html#oom-killer; those of control groups are among them. */
function countKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0 // no Linux
  }
}
