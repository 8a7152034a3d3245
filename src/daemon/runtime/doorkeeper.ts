import type { Socket } from 'node:net'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import { HeldConnections } from './held-connections.ts'
import { IdleTimer } from './idle-timer.ts'
import type { Instance } from './instance.ts'
import { InstanceSet, type Leaving } from './instance-set.ts'
import type { NamedRequest } from './named-request.ts'
import type { Placement } from './placement.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { Served } from './supervisor.ts'

export interface DoorkeeperOptions {
  served: Served
  /** In a process that many servers share. */
  placement: Placement
  limits: PoolLimits
}

export interface DoorkeeperOwner {
  /** A request came that needs the server itself. */
  onNeeded(): void
  /** There is nobody at the door for this one. */
  onUnanswered(socket: Socket, named: NamedRequest | undefined): void
  onTraffic(series: SeriesCounts[]): void
}

const IDLE_MS = 60_000
const RELAYED_MS = 1000

/**
 * Answers for a server of which nothing runs: its health and its lists, which stand in the artifact, out of a shared
 * process. The first request that needs more wakes the server and is relayed to it (instance/asleep.ts).
 */
export class Doorkeeper {
  readonly #options: DoorkeeperOptions
  readonly #owner: DoorkeeperOwner
  readonly #held: HeldConnections
  readonly #idle = new IdleTimer(IDLE_MS, {
    isBusy: now => this.#held.size > 0 || this.#instances.isBusy(now),
    onIdle: () => this.#leave(),
  })
  readonly #instances = new InstanceSet({
    onMetrics: series => {
      if (series.length > 0) this.#owner.onTraffic(series)
    },
    onEnded: instance => this.#lose(instance),
    onFailed: instance => this.#lose(instance),
    onWake: instance => this.#wake(instance),
  })
  #current: Instance | undefined
  #left: Promise<unknown> = Promise.resolve()

  constructor(options: DoorkeeperOptions, owner: DoorkeeperOwner) {
    this.#options = options
    this.#owner = owner
    this.#held = new HeldConnections(options.limits.hold)
  }

  connect(socket: Socket, named: NamedRequest | undefined): void {
    this.#idle.touch()
    const instance = this.#instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.#owner.onUnanswered(socket, named))
    this.#held.add({ socket, named })
    if (!this.#current) this.#open()
  }

  /** For good; what is relayed at this moment has a second to be answered, all else `drainMs`. No session stays, and nobody waits on. */
  async close(drainMs: number, { order, begun }: Leaving = {}): Promise<void> {
    const changed = order?.changed
    this.#leave(drainMs, { ...(changed && { order: { changed } }), ...(begun && { begun }) })
    this.#giveUp()
    await this.relayed(Math.max(drainMs, RELAYED_MS))
    await this.#instances.dismissAll(0)
  }

  /** Resolves when what was relayed is answered, or after the limit. */
  async relayed(limitMs = RELAYED_MS): Promise<void> {
    const late = new Promise(resolve => setTimeout(resolve, limitMs).unref())
    await Promise.race([this.#left, late])
  }

  /** Whose logs are written. */
  get instances(): InstanceSet {
    return this.#instances
  }

  /** What it has begun to answer ends by itself. */
  #leave(drainMs = this.#options.limits.drainMs, leaving?: Leaving): void {
    this.#idle.stop()
    const current = this.#current
    this.#current = undefined
    if (!current) return
    this.#left = Promise.all([this.#left, this.#instances.dismiss(current, drainMs, leaving)])
  }

  #open(): void {
    const { served, placement, limits } = this.#options
    try {
      const tenant = { ...served.loadTenant(), asleep: 'elsewhere' as const, hasSiblings: false }
      const place = placement(served.id, { alone: false, kind: 'open', atDoor: true })
      const instance = this.#instances.open(place)
      this.#current = instance
      instance.start(tenant, { artifact: served.loadArtifact() }, limits.startMs).then(
        () => this.#deliver(),
        () => this.#lose(instance),
      )
    } catch {
      this.#giveUp() // the start of the server itself meets the reason and tells it
    }
  }

  #deliver(): void {
    for (const { socket, named } of this.#held.takeAll()) this.connect(socket, named)
  }

  #lose(instance: Instance): void {
    this.#instances.forget(instance)
    void instance.place.leave()
    if (this.#current === instance) this.#giveUp()
  }

  #giveUp(): void {
    this.#current = undefined
    for (const { socket, named } of this.#held.takeAll()) this.#owner.onUnanswered(socket, named)
  }

  /** From now on connections reach the server, or wait for it; whoever came before may stay until its next answer. */
  #wake(instance: Instance): void {
    this.#owner.onNeeded()
    instance.tellWoken()
    this.#leave()
  }
}
