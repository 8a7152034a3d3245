import { HostingError } from '../../shared/errors.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import { Autoscaler } from './autoscaler.ts'
import { HostEndedError, type HostEnding } from './host-ending.ts'
import type { Instance } from './instance.ts'
import { InstanceSet, type InstanceSetEvents, type Leaving } from './instance-set.ts'
import { Launcher, type LauncherOwner } from './launcher.ts'
import type { LendableSocket } from './loan.ts'
import { MemoryWatch } from './memory-watch.ts'
import type { Placement } from './placement.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { Served } from './supervisor.ts'

/** Who decides whether there are any, and what comes to them. */
export interface ReplicasOwner {
  /** Nobody is to see them awake: they only answer what the artifact tells. */
  readonly isDozing: boolean
  /** Takes connections from now on. */
  onReady(instance: Instance): void
  onMetrics(series: SeriesCounts[]): void
  /** A request came that needs more than the artifact. */
  onWake(): void
  /** There will be none; `isTold`: a `start` that waits rejects with it. */
  onGivenUp(error: Error, isTold: boolean): void
  tell(level: LogLine['level'], message: string): void
}

export interface ReplicasOptions {
  served: Served
  placement: Placement
  limits: PoolLimits
}

/** Keeps as many instances of one deployment as there should be: started, restarted, replaced, more and fewer of them. */
export class Replicas implements LauncherOwner, InstanceSetEvents {
  readonly instances = new InstanceSet(this)
  readonly served: Served
  readonly placement: Placement
  readonly #owner: ReplicasOwner
  readonly #limits: PoolLimits
  readonly #launcher = new Launcher(this)
  #desired = 0
  #starting: PromiseWithResolvers<void> | undefined
  #renewing: Promise<void> | undefined
  #autoscaler: Autoscaler | undefined
  #memory: MemoryWatch | undefined

  constructor({ served, placement, limits }: ReplicasOptions, owner: ReplicasOwner) {
    this.served = served
    this.placement = placement
    this.#limits = limits
    this.#owner = owner
  }

  /** There should be some. */
  get areWanted(): boolean {
    return this.#desired > 0
  }

  /** Some are about to come. */
  get areComing(): boolean {
    return this.#starting !== undefined || this.#renewing !== undefined
  }

  /** Brings the least number of instances to ready; rejects with the reason when that fails for good. */
  start(): Promise<void> {
    this.#starting ??= Promise.withResolvers()
    const { promise } = this.#starting
    this.#desired = Math.max(this.#desired, this.#least)
    this.#fill()
    this.#settleStart()
    return promise
  }

  /** Puts new ones in the place of all; one renewal under way is shared by all who ask. See `Supervisor.renew`. */
  renew(switched: () => void): Promise<void> {
    this.#renewing ??= this.#launcher
      .startReserve(this.#desired)
      .then(reserve => {
        switched()
        this.#switchTo(reserve)
      })
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  /** What ended until now no longer counts for a crash loop. */
  forgetCrashes(): void {
    this.#launcher.forgetCrashes()
  }

  /** With a second instance about to come the kernel would share out connections regardless of load. */
  lend(socket: LendableSocket): void {
    if (this.#desired === 1 && !this.#renewing) this.instances.only?.borrow(socket)
  }

  /** Those that run drain, and come back with the next start. */
  sleep(): void {
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#dismiss(this.instances.live)
  }

  /** For good. A start that is under way rejects. */
  async close(drainMs: number, leaving?: Leaving): Promise<void> {
    this.#halt()
    this.#starting?.reject(this.stoppedError())
    this.#starting = undefined
    await this.instances.dismissAll(drainMs, leaving)
  }

  stoppedError(): HostingError {
    return new HostingError('CANCELLED', `Server "${this.served.serverName}" was stopped.`)
  }

  get startMs(): number {
    return this.#limits.startMs
  }

  get isMissing(): boolean {
    return this.#countComing() < this.#desired
  }

  get isDozing(): boolean {
    return this.#owner.isDozing
  }

  onReady(instance: Instance): void {
    this.instances.tellEarlier(instance)
    this.#owner.onReady(instance)
    this.instances.rebalance()
    this.#settleStart()
  }

  onMetrics(series: SeriesCounts[]): void {
    this.#owner.onMetrics(series)
    if (this.#desired === 0) return
    this.#watchMemory()?.look(this.instances.ready)
    this.#scale()?.sample(series)
  }

  onEnded(instance: Instance, ending: HostEnding): void {
    this.#launcher.onCrash(instance, new HostEndedError(ending))
  }

  onFailed(instance: Instance, error: Error): void {
    this.#launcher.onCrash(instance, error)
  }

  onWake(): void {
    this.#owner.onWake()
  }

  onGivenUp(error: Error): void {
    this.tell('error', error.message)
    this.#halt()
    void this.instances.dismissAll(0)
    const starting = this.#starting
    this.#starting = undefined
    starting?.reject(error)
    this.#owner.onGivenUp(error, starting !== undefined)
  }

  tell(level: LogLine['level'], message: string): void {
    this.#owner.tell(level, message)
  }

  get #least(): number {
    const { placement, scaling } = this.served
    return placement === 'shared' ? 1 : Math.max(1, scaling.min)
  }

  /** From now on the reserve serves, and what served until now drains. */
  #switchTo(reserve: Instance[]): void {
    const old = this.instances.live
    this.tell('info', `restarted: ${reserve.length} new for ${old.length} instances`)
    this.#launcher.cancelRestarts()
    this.#launcher.forgetCrashes()
    for (const instance of reserve) instance.isReserve = false
    this.#dismiss(old)
    for (const instance of reserve) this.onReady(instance)
    this.#fill()
  }

  /** Instances that are there or will be by themselves. */
  #countComing(): number {
    return this.instances.live.length + this.#launcher.pendingRestarts
  }

  #fill(): void {
    for (let missing = this.#desired - this.#countComing(); missing > 0; missing--) this.#launcher.launch()
  }

  #scaleTo(count: number): void {
    this.tell('info', `scaled from ${this.#countComing()} to ${count} instances`)
    this.#desired = count
    this.#fill()
    const surplus = Math.max(0, this.#countComing() - count)
    const quietest = this.instances.ready.sort((a, b) => a.connections - b.connections)
    this.#dismiss(quietest.slice(0, surplus))
  }

  #dismiss(instances: Instance[]): void {
    for (const instance of instances) void this.instances.dismiss(instance, this.#limits.drainMs)
  }

  #halt(): void {
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#launcher.cancelRestarts()
  }

  #settleStart(): void {
    if (!this.#starting || this.instances.ready.length < this.#least) return
    this.#starting.resolve()
    this.#starting = undefined
  }

  #watchMemory(): MemoryWatch | undefined {
    const { placement, memoryMb } = this.served
    if (placement === 'shared' || memoryMb === undefined) return undefined
    this.#memory ??= new MemoryWatch({
      limitBytes: memoryMb * 1024 * 1024,
      startReserve: past => this.#launcher.startReserve(1, past),
      isWanted: instance => instance.isReady && this.#desired > 0,
      swap: (old, next) => {
        this.#dismiss([old])
        this.onReady(next)
      },
      dismiss: instance => this.#dismiss([instance]),
      tell: (level, message) => void (this.#desired > 0 && this.tell(level, message)),
    })
    return this.#memory
  }

  #scale(): Autoscaler | undefined {
    const { placement, scaling } = this.served
    if (placement === 'shared' || scaling.max <= this.#least) return undefined
    this.#autoscaler ??= new Autoscaler({
      ...scaling,
      countInstances: () => (this.#desired === 0 ? 0 : this.#countComing()),
      calmMs: this.#limits.calmMs,
      load: now => ({ activeRequests: this.instances.activeRequests, busy: this.instances.busy(now) }),
      scaleTo: count => this.#scaleTo(count),
    })
    return this.#autoscaler
  }
}
