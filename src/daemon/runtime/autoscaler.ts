import { desiredInstances, isLow, SCALE_DOWN_AFTER_MS } from './scaling.ts'

/** Weight of the newest sample: one spike of a second is no reason for another process. */
const SMOOTHING = 0.5
/** Time between two looks while the smoothed load falls. */
const CALM_DOWN_MS = 5000

export interface AutoscalerOptions {
  min: number
  max: number
  /** Instances now, those that are starting included. */
  countInstances(): number
  /** Requests at work now, in all instances. */
  countActiveRequests(): number
  scaleTo(instances: number): void
}

/** Asks `scaling.ts` after each report of an instance; a deployment without traffic needs no timer, but for the way down. */
export class Autoscaler {
  readonly #options: AutoscalerOptions
  #active = 0
  #lowSince: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: AutoscalerOptions) {
    this.#options = options
  }

  sample(now = Date.now()): void {
    const { min, max, countInstances, countActiveRequests, scaleTo } = this.#options
    const instances = countInstances()
    if (instances === 0) return this.stop()
    this.#active += SMOOTHING * (countActiveRequests() - this.#active)
    this.#lowSince = isLow(instances, this.#active) ? (this.#lowSince ?? now) : undefined
    const lowForMs = this.#lowSince === undefined ? 0 : now - this.#lowSince
    const desired = desiredInstances({ instances, min, max, activeRequests: this.#active, lowForMs })
    if (desired !== instances) scaleTo(desired)
    if (desired < instances) this.#lowSince = now
    this.#lookAgain(desired > Math.max(1, min))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lowSince = undefined
    this.#active = 0
  }

  /** Instances are silent when nothing changes, so the way down needs looks of its own. */
  #lookAgain(needed: boolean): void {
    clearTimeout(this.#timer)
    const delayMs = this.#lowSince === undefined ? CALM_DOWN_MS : SCALE_DOWN_AFTER_MS
    this.#timer = needed ? setTimeout(() => this.sample(), delayMs).unref() : undefined
  }
}
