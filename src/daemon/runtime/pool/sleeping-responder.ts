import type { Socket } from 'node:net'
import type { SeriesCounts } from '../../../shared/instances/request-tally.ts'
import type { NamedRequest } from '../process/named-request.ts'
import type { Served } from '../served.ts'
import type { DrainOptions } from './drain.ts'
import { HeldConnections } from './held-connections.ts'
import { IdleTimer, type IdleTimerOwner } from './idle-timer.ts'
import type { Instance, InstanceOwner } from './instance.ts'
import { InstanceSet } from './instance-set.ts'
import type { PoolOptions } from './pool-options.ts'

export interface SleepingResponderOwner {
  /** A request needs the server itself. */
  onNeeded(): void
  /** The responder cannot take this connection. */
  onUnanswered(socket: Socket, named: NamedRequest | undefined): void
}

const IDLE_MS = 60_000
const RELAYED_MS = 1000

/**
 * Answers for a sleeping server from a shared process: its health and its lists, which are in the artifact. The first
 * request that needs more wakes the server and is relayed to it (instance/server/sleeping-server.ts).
 */
export class SleepingResponder implements InstanceOwner, IdleTimerOwner {
  readonly instances = new InstanceSet(this)
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #owner: SleepingResponderOwner
  readonly #held: HeldConnections
  readonly #idle = new IdleTimer(IDLE_MS, this)
  #current: Instance | undefined
  #drained: Promise<unknown> = Promise.resolve()

  constructor(served: Served, options: PoolOptions, owner: SleepingResponderOwner) {
    this.#served = served
    this.#options = options
    this.#owner = owner
    this.#held = new HeldConnections(options.limits.hold)
  }

  connect(socket: Socket, named: NamedRequest | undefined): void {
    this.#idle.touch()
    const instance = this.instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.#owner.onUnanswered(socket, named))
    this.#held.add({ socket, named })
    if (!this.#current) this.#open()
  }

  /** Stops the responder permanently. Relayed requests get at least a second. The responder has no sessions to keep. */
  async close(drainMs: number, { notice, begun }: DrainOptions = {}): Promise<void> {
    const changed = notice?.changed
    this.#drain(drainMs, { ...(changed && { notice: { changed } }), ...(begun && { begun }) })
    this.#giveUp()
    await this.relayed(Math.max(drainMs, RELAYED_MS))
    await this.instances.dismissAll(0)
  }

  /** Resolves when the relayed requests are answered, or after the limit. */
  async relayed(limitMs = RELAYED_MS): Promise<void> {
    const late = new Promise(resolve => setTimeout(resolve, limitMs).unref())
    await Promise.race([this.#drained, late])
  }

  isBusy(now: number): boolean {
    return this.#held.size > 0 || this.instances.isBusy(now)
  }

  onIdle(): void {
    this.#drain()
  }

  onMetrics(series: SeriesCounts[]): void {
    if (series.length > 0) this.#options.onTraffic(this.#served.id, series)
  }

  onFailed(instance: Instance): void {
    this.instances.remove(instance)
    void instance.place.leave()
    if (this.#current === instance) this.#giveUp()
  }

  /** Reports do not show the responder's instances. */
  onState(): void {}

  /** New connections go to the server, or wait for it. Connections of the responder last until their next answer. */
  onWake(instance: Instance): void {
    this.#owner.onNeeded()
    instance.notify({ type: 'woken' })
    this.#drain()
  }

  #drain(drainMs = this.#options.limits.drainMs, options?: DrainOptions): void {
    this.#idle.stop()
    const current = this.#current
    this.#current = undefined
    if (!current) return
    this.#drained = Promise.all([this.#drained, this.instances.dismiss(current, drainMs, options)])
  }

  #open(): void {
    const { placements, limits } = this.#options
    const served = this.#served
    try {
      const tenant = () => ({ ...served.loadTenant(), asleep: 'elsewhere' as const, hasSiblings: false })
      const place = placements.shared(served.id, { alone: false, kind: 'open', whileAsleep: true })
      const instance = this.instances.open(place)
      this.#current = instance
      instance.start(tenant, { artifact: served.loadArtifact() }, limits.startMs).then(
        () => this.#deliver(),
        () => this.onFailed(instance),
      )
    } catch {
      this.#giveUp() // the start of the server itself will hit the same error and report it
    }
  }

  #deliver(): void {
    for (const { socket, named } of this.#held.takeAll()) this.connect(socket, named)
  }

  #giveUp(): void {
    this.#current = undefined
    for (const { socket, named } of this.#held.takeAll()) this.#owner.onUnanswered(socket, named)
  }
}
