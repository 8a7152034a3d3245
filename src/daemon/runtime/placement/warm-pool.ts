import { restartDelayMs } from '../../../shared/instances/restart-backoff.ts'
import type { ProcessKind } from '../../engine/process-engine.ts'
import type { Host } from '../process/host.ts'

export interface WarmPoolOptions {
  /** Number of spare processes. */
  size: number
  startHost: () => Host
  /** Starts no spares before the first `take` or `prepare`, because spares cost memory. */
  afterFirstUse?: boolean
}

export type WarmPools = Record<ProcessKind, WarmPool>

/** Delay before a taken spare is replaced, so that the request that took it gets the processor first. */
const REFILL_DELAY_MS = 150

/** Delay before a ready spare warms up, because the first spare of `prepare` may be needed immediately. */
const WARM_UP_AFTER_MS = 50

/**
 * A release of several instances may need more processes than there are spares. It is often followed by another release, for
 * example a rollback. The pool keeps up to this many extra spares until none has been taken for a while.
 */
const MAX_EXTRA = 3
const EXTRA_MS = 10 * 60_000

/** Spare host processes, loaded, warmed up and waiting for work. */
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

  /** Starts the first spare of a pool that has not been used yet. */
  prepare(): void {
    if (!this.#isInUse) this.#fill(Math.min(1, this.#size))
  }

  /** Returns the oldest spare, or a new process if there is none. */
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
    this.#extra = Math.min(this.#extra + 1, MAX_EXTRA)
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
    this.#fill(this.#size + this.#extra)
  }

  #fill(size: number): void {
    this.#isInUse = true
    while (!this.#closed && this.#spares.size < size) {
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
      // For example a full disk. Not reported, because the next caller of `take` gets the same error. Retried later.
      this.#refillIn(restartDelayMs(++this.#failuresInARow + 3))
      return undefined
    }
  }

  async #watch(spare: Host): Promise<void> {
    void spare.ready.then(
      () => {
        this.#failuresInARow = 0
        setTimeout(() => this.#spares.has(spare) && spare.warmUp(), WARM_UP_AFTER_MS).unref()
      },
      () => {}, // handled below, when it exits
    )
    await spare.ended
    if (this.#spares.delete(spare)) this.#refillIn(restartDelayMs(++this.#failuresInARow + 1))
  }
}
