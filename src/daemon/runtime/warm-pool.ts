import { restartDelayMs } from '../../shared/restart-backoff.ts'
import type { ProcessKind } from '../engine/process-engine.ts'
import type { Host } from './host.ts'

export interface WarmPoolOptions {
  /** Processes kept ready; 0 keeps none. */
  size: number
  startHost: () => Host
  /** Spares cost memory: none before the first process was asked for. */
  afterFirstUse?: boolean
}

export type WarmPools = Record<ProcessKind, WarmPool>

/** A new spare starts this long after one was taken: the request that took it goes first on the processor. */
const REFILL_DELAY_MS = 150

/** Host processes that are loaded and wait for work. */
export class WarmPool {
  readonly #size: number
  readonly #startHost: () => Host
  readonly #spares = new Set<Host>()
  #timer: NodeJS.Timeout | undefined
  #failuresInARow = 0
  #closed = false

  constructor({ size, startHost, afterFirstUse = false }: WarmPoolOptions) {
    this.#size = size
    this.#startHost = startHost
    if (!afterFirstUse) this.#refill()
  }

  /** The spare that has been starting longest, ready or nearly so, or else a new process. */
  take(): Host {
    const [oldest] = this.#spares
    this.#refillIn(REFILL_DELAY_MS)
    if (!oldest) return this.#startHost()
    this.#spares.delete(oldest)
    return oldest
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#spares].map(spare => spare.stop()))
  }

  #refillIn(delayMs: number): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#refill(), delayMs)
    this.#timer.unref()
  }

  #refill(): void {
    while (!this.#closed && this.#spares.size < this.#size) {
      const spare = this.#tryStart()
      if (!spare) return
      this.#spares.add(spare)
      void this.#watch(spare)
    }
  }

  #tryStart(): Host | undefined {
    try {
      return this.#startHost()
    } catch {
      // For example a full disk: whoever needs a process next meets the reason, a spare can wait.
      this.#refillIn(restartDelayMs(++this.#failuresInARow + 3))
      return undefined
    }
  }

  async #watch(spare: Host): Promise<void> {
    void spare.ready.then(
      () => {
        this.#failuresInARow = 0
      },
      () => {}, // its end is met below
    )
    await spare.ended
    if (this.#spares.delete(spare)) this.#refillIn(restartDelayMs(++this.#failuresInARow + 1))
  }
}
