import { CrashHistory } from '../../shared/crash-history.ts'
import { restartDelayMs } from '../../shared/restart-backoff.ts'
import type { McpChild } from './mcp-child.ts'
import { describeProgramEnding } from './program-process.ts'

export interface ChildSlotOptions {
  /** Starts a child and makes the handshake. */
  open(): Promise<McpChild>
  /** It ended by itself; `restartMs` until it may be started anew. */
  onCrash(sentence: string, restartMs: number): void
  /** It ends again and again, before it could do anything. */
  onCrashLoop?(sentence: string): void
}

/** A place for one child: it is started when it is needed, and anew after it ended, with a pause that grows. */
export class ChildSlot {
  readonly #options: ChildSlotOptions
  readonly #history = new CrashHistory()
  #child: McpChild | undefined
  #opening: Promise<McpChild> | undefined
  #notBefore = 0
  #closed = false

  constructor(options: ChildSlotOptions) {
    this.#options = options
  }

  /** The child as it runs. */
  get current(): McpChild | undefined {
    return this.#child?.isAlive ? this.#child : undefined
  }

  get isBusy(): boolean {
    return this.#opening !== undefined || (this.#child?.isAlive === true && this.#child.isBusy)
  }

  /** The running child at once, else the promise of one. Rejects with ChildStartError. */
  get(): McpChild | Promise<McpChild> {
    if (this.#child?.isAlive) return this.#child
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#opening?.catch(() => {}) // whoever waited for it was told
    await this.#child?.stop()
  }

  async #open(): Promise<McpChild> {
    const pauseMs = this.#notBefore - Date.now()
    if (pauseMs > 0) await new Promise(resolve => setTimeout(resolve, pauseMs))
    if (this.#closed) throw new Error('the server is being stopped')
    try {
      const child = await this.#options.open()
      this.#child = child
      void this.#watch(child, Date.now())
      if (this.#closed) void child.stop()
      return child
    } catch (error) {
      this.#crashed((error as Error).message, undefined, null)
      throw error
    }
  }

  async #watch(child: McpChild, readyAt: number): Promise<void> {
    const ending = await child.ended
    if (this.#closed || child.isStopping) return
    this.#crashed(describeProgramEnding(ending), readyAt, ending.signal)
  }

  #crashed(sentence: string, readyAt: number | undefined, signal: string | null): void {
    const { failuresInARow, isLoop } = this.#history.add({ at: Date.now(), readyAt, signal })
    const delayMs = restartDelayMs(failuresInARow)
    this.#notBefore = Date.now() + delayMs
    if (isLoop) this.#options.onCrashLoop?.(sentence)
    this.#options.onCrash(sentence, delayMs)
  }
}
