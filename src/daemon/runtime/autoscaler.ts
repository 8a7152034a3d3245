import type { SeriesCounts } from '../../shared/request-tally.ts'
import { Queueing } from './queueing.ts'
import { desiredInstances, isLow, type Load, SCALE_DOWN_AFTER_MS } from './scaling.ts'

/** After so long half of what is believed of the load is new: one spike is no reason for another process. */
const HALF_LIFE_MS = 1000
/** Time between two looks while the smoothed load falls. */
const CALM_DOWN_MS = 5000

export interface AutoscalerOptions {
  min: number
  max: number
  /** {@link SCALE_DOWN_AFTER_MS} by default. */
  calmMs?: number
  /** Instances now, those that are starting included. */
  countInstances(): number
  /** Of all instances now. */
  load(now: number): Omit<Load, 'waiting'>
  scaleTo(instances: number): void
}

/** Asks `scaling.ts` after each report of an instance; a deployment without traffic needs no timer, but for the way down. */
export class Autoscaler {
  readonly #options: AutoscalerOptions
  readonly #calmMs: number
  readonly #queueing = new Queueing()
  #load: Load = { activeRequests: 0, busy: 0, waiting: 0 }
  #sampledAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  #lowSince: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: AutoscalerOptions) {
    this.#options = options
    this.#calmMs = options.calmMs ?? SCALE_DOWN_AFTER_MS
  }

  /** `series`: what one instance answered since its last report. */
  sample(series: readonly SeriesCounts[] = [], now = Date.now()): void {
    const { min, countInstances, scaleTo } = this.#options
    const instances = countInstances()
    if (instances === 0) return this.stop()
    const latest = this.#latestLoad(series, now)
    this.#smooth(latest, now)
    this.#lowSince = isLow(instances, this.#load) ? (this.#lowSince ?? now) : undefined
    const desired = this.#desired(instances, this.#load, now)
    if (desired !== instances) {
      scaleTo(desired)
      this.#changedAt = now
    }
    if (desired < instances) this.#lowSince = now
    // Instances are silent while nothing changes: neither the way down nor a load that came at once and stays is told again.
    if (this.#desired(desired, latest, now) > desired) this.#lookAgain(HALF_LIFE_MS)
    else if (desired > Math.max(1, min))
      this.#lookAgain(this.#lowSince === undefined ? CALM_DOWN_MS : this.#calmMs)
    else this.#lookAgain(undefined)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lowSince = undefined
    this.#load = { activeRequests: 0, busy: 0, waiting: 0 }
    this.#sampledAt = Number.NEGATIVE_INFINITY
  }

  #latestLoad(series: readonly SeriesCounts[], now: number): Load {
    const load = this.#options.load(now)
    return { ...load, waiting: load.activeRequests * this.#queueing.waitingShare(series) }
  }

  #desired(instances: number, load: Load, now: number): number {
    const { min, max } = this.#options
    const lowForMs = this.#lowSince === undefined ? 0 : now - this.#lowSince
    const unchangedForMs = now - this.#changedAt
    return desiredInstances({ instances, min, max, calmMs: this.#calmMs, lowForMs, unchangedForMs, ...load })
  }

  /** Reports come as they like: what counts is the time between them, of the first one the usual second. */
  #smooth({ activeRequests, busy, waiting }: Load, now: number): void {
    const sinceMs = Number.isFinite(this.#sampledAt) ? Math.max(0, now - this.#sampledAt) : HALF_LIFE_MS
    const share = 1 - 0.5 ** (sinceMs / HALF_LIFE_MS)
    const mix = (before: number, after: number) => before + share * (after - before)
    this.#load = {
      activeRequests: mix(this.#load.activeRequests, activeRequests),
      busy: mix(this.#load.busy, busy),
      waiting: mix(this.#load.waiting, waiting),
    }
    this.#sampledAt = now
  }

  #lookAgain(delayMs: number | undefined): void {
    clearTimeout(this.#timer)
    this.#timer = delayMs === undefined ? undefined : setTimeout(() => this.sample(), delayMs).unref()
  }
}
