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

/**
 * Whoever started more processes at once than were ready, as a release of several instances does, is likely to do it
 * again soon, to roll back for example: so many more are kept, until none was taken for so long.
 */
const MOST_EXTRA = 3
const EXTRA_MS = 10 * 60_000

/** Host processes that are loaded and wait for work. */
export class WarmPool {
  readonly #size: number
  readonly #startHost: () => Host
  readonly #spares = new Set<Host>()
  #extra = 0
  #isInUse = false
  #timer: NodeJS.Timeout | undefined
  #calm: NodeJS.Timeout | undefined
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
    this.#calm?.refresh()
    if (!oldest) {
      this.#keepMore()
      return this.#startHost()
    }
    this.#spares.delete(oldest)
    return oldest
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#calm)
    await Promise.all([...this.#spares].map(spare => spare.stop()))
  }

  #keepMore(): void {
    if (this.#size === 0 || !this.#isInUse || this.#closed) return
    this.#extra = Math.min(this.#extra + 1, MOST_EXTRA)
    this.#calm ??= setTimeout(() => this.#shrink(), EXTRA_MS).unref()
  }

  #shrink(): void {
    this.#calm = undefined
    this.#extra = 0
    for (const spare of [...this.#spares].slice(this.#size)) {
      this.#spares.delete(spare)
      void spare.stop()
    }
  }

  #refillIn(delayMs: number): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#refill(), delayMs)
    this.#timer.unref()
  }

  #refill(): void {
    this.#isInUse = true
    while (!this.#closed && this.#spares.size < this.#size + this.#extra) {
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
