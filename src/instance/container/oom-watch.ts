import { readFileSync } from 'node:fs'

const EVERY_MS = 500

/**
 * Tells whether the kernel has just ended a process for want of memory. Engines know it of their containers where they can
 * watch the control group; where they cannot (podman on hybrid hierarchies), there is the kernel's own count of all.
 */
export class OomWatch {
  readonly #timer: NodeJS.Timeout
  #before = countKills()

  constructor() {
    this.#timer = setInterval(() => {
      this.#before = countKills()
    }, EVERY_MS).unref()
  }

  /** Since half a second ago at most; false where the kernel does not count. */
  hasSeenKill(): boolean {
    return countKills() > this.#before
  }

  stop(): void {
    clearInterval(this.#timer)
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
