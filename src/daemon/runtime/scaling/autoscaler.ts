import type { SeriesCounts } from '../../../shared/instances/request-tally.ts'
import { QueueEstimator } from './queue-estimator.ts'
import { desiredInstances, isLow, type Load, SCALE_DOWN_AFTER_MS } from './scaling.ts'

/** Half-life of the smoothed load, so that one spike does not start another process. */
const HALF_LIFE_MS = 1000
/** Interval between checks while the smoothed load falls. */
const RECHECK_MS = 5000

export interface AutoscalerOptions {
  min: number
  max: number
  /** Time of low load before an instance is stopped. Default: {@link SCALE_DOWN_AFTER_MS}. */
  calmMs?: number
  /** Includes starting instances and pending restarts. */
  countInstances(): number
  /** Current load of all instances. */
  load(now: number): Omit<Load, 'waiting'>
  scaleTo(instances: number): void
}

/** Applies `scaling.ts` after each report from an instance. Needs a timer only to scale down and to recheck a sudden load. */
export class Autoscaler {
  readonly #options: AutoscalerOptions
  readonly #calmMs: number
  readonly #queue = new QueueEstimator()
  #load: Load = { activeRequests: 0, busy: 0, waiting: 0 }
  #sampledAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  #lowSince: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: AutoscalerOptions) {
    this.#options = options
    this.#calmMs = options.calmMs ?? SCALE_DOWN_AFTER_MS
  }

  /** `series`: requests that one instance answered since its last report. */
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
    // Instances report only changes. A timer rechecks a falling load and a sudden load that persists.
    if (this.#desired(desired, latest, now) > desired) this.#checkIn(HALF_LIFE_MS)
    else if (desired > Math.max(1, min))
      this.#checkIn(this.#lowSince === undefined ? RECHECK_MS : this.#calmMs)
    else this.#checkIn(undefined)
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
    return { ...load, waiting: load.activeRequests * this.#queue.waitingShare(series) }
  }

  #desired(instances: number, load: Load, now: number): number {
    const { min, max } = this.#options
    const lowForMs = this.#lowSince === undefined ? 0 : now - this.#lowSince
    const unchangedForMs = now - this.#changedAt
    return desiredInstances({ instances, min, max, calmMs: this.#calmMs, lowForMs, unchangedForMs, ...load })
  }

  /** Weights a report by the time since the last one. The first report counts as one second. */
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

  #checkIn(delayMs: number | undefined): void {
    clearTimeout(this.#timer)
    this.#timer = delayMs === undefined ? undefined : setTimeout(() => this.sample(), delayMs).unref()
  }
}
