export interface IdleTimerOwner {
  isBusy(now: number): boolean
  onIdle(): void
}

/**
 * Calls `onIdle` once the owner was neither touched nor busy for `idleMs`. A touch costs one assignment. Sets no timer before
 * the first touch. A timer that fires early is set again for the remaining time.
 */
export class IdleTimer {
  readonly #idleMs: number
  readonly #owner: IdleTimerOwner
  #lastTouch = 0
  #timer: NodeJS.Timeout | undefined

  constructor(idleMs: number, owner: IdleTimerOwner) {
    this.#idleMs = idleMs
    this.#owner = owner
  }

  touch(): void {
    this.#lastTouch = Date.now()
    this.#timer ??= this.#checkIn(this.#idleMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #checkIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), delayMs).unref()
  }

  #check(): void {
    this.#timer = undefined
    const now = Date.now()
    if (this.#owner.isBusy(now)) this.#lastTouch = now
    const leftMs = this.#lastTouch + this.#idleMs - now
    if (leftMs > 0) this.#timer = this.#checkIn(leftMs)
    else this.#owner.onIdle()
  }
}
