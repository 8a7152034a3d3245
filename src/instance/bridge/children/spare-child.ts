import type { McpChild } from '../mcp-child.ts'

/** Delay before a new spare starts, so that it does not compete for the processor with the request that took the previous one. */
const REFILL_DELAY_MS = 150

/** One process that is started before it has a client, so that a new session need not wait for `npx` or an interpreter. */
export class SpareChild {
  readonly #spawn: () => McpChild
  #child: McpChild | undefined
  #refill: NodeJS.Timeout | undefined
  #closed = false

  constructor(spawn: () => McpChild) {
    this.#spawn = spawn
  }

  fill(): void {
    if (!this.#closed && !this.#child?.isAlive) this.#child = this.#trySpawn()
  }

  /** Returns the spare if it is running, otherwise a new process. Throws when the process cannot be started. */
  take(): McpChild {
    const spare = this.#child
    this.#child = undefined
    clearTimeout(this.#refill)
    this.#refill = setTimeout(() => this.fill(), REFILL_DELAY_MS).unref()
    return spare?.isAlive ? spare : this.#spawn()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refill)
    await this.#child?.stop()
  }

  #trySpawn(): McpChild | undefined {
    try {
      return this.#spawn()
    } catch {
      return undefined // the next caller of `take` gets the error
    }
  }
}
