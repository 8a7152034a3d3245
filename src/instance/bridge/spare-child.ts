import type { McpChild } from './mcp-child.ts'

/** The request that took the spare goes first on the processor. */
const REFILL_DELAY_MS = 150

/** One started process that nobody has spoken to, so that a new session need not wait for `npx` or an interpreter. */
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

  /** The spare when it is well, else a new process. Throws what starting it throws. */
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
      return undefined // whoever needs it next meets the reason
    }
  }
}
