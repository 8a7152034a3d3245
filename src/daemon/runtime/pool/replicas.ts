import { HostingError } from '../../../shared/errors.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { SeriesCounts } from '../../../shared/instances/request-tally.ts'
import type { ShareableSocket } from '../process/socket-lease.ts'
import { Autoscaler } from '../scaling/autoscaler.ts'
import { usefulLimits } from '../scaling/scaling.ts'
import type { Served } from '../served.ts'
import type { DrainOptions } from './drain.ts'
import type { Instance, InstanceOwner } from './instance.ts'
import { InstanceSet } from './instance-set.ts'
import { Launcher, type LauncherOwner } from './launcher.ts'
import { MemoryWatch } from './memory-watch.ts'
import type { PoolOptions } from './pool-options.ts'

export interface ReplicasOwner {
  /** An instance takes connections. */
  onReady(): void
  onActivity(): void
  /** No instance will start. `isReported`: a pending `start` rejects with the error. */
  onGiveUp(error: Error, isReported: boolean): void
}

/** Keeps the desired number of instances of one deployment: starts, restarts, replaces and scales them. */
export class Replicas implements InstanceOwner, LauncherOwner {
  readonly instances = new InstanceSet(this)
  readonly served: Served
  readonly options: PoolOptions
  readonly #owner: ReplicasOwner
  readonly #launcher = new Launcher(this)
  /** True while the instances answer only from the artifact and the deployment is reported as asleep. */
  #listsOnly = false
  #desired = 0
  #starting: PromiseWithResolvers<void> | undefined
  #renewing: Promise<void> | undefined
  #autoscaler: Autoscaler | undefined
  #memory: MemoryWatch | undefined

  constructor(served: Served, options: PoolOptions, owner: ReplicasOwner) {
    this.served = served
    this.options = options
    this.#owner = owner
  }

  get listsOnly(): boolean {
    return this.#listsOnly
  }

  /** True when at least one instance is desired. */
  get isAwake(): boolean {
    return this.#desired > 0
  }

  get isStarting(): boolean {
    return this.#starting !== undefined || this.#renewing !== undefined
  }

  /** Resolves when the minimum number of instances is ready. Rejects when that fails permanently. */
  start(listsOnly: boolean): Promise<void> {
    this.#listsOnly = listsOnly
    this.#starting ??= Promise.withResolvers()
    const { promise } = this.#starting
    this.#desired = Math.max(this.#desired, this.#minimum)
    this.#fill()
    this.#settleStart()
    return promise
  }

  /** Replaces all instances, see `Supervisor.renew`. Concurrent callers share one renewal. */
  renew(): Promise<void> {
    this.#renewing ??= this.#launcher
      .startReserve(this.#desired)
      .then(reserve => this.#switchTo(reserve))
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  /** Past crashes no longer count towards a crash loop. */
  forgetCrashes(): void {
    this.#launcher.forgetCrashes()
  }

  /** Shares the listening socket with the only instance. With two, the kernel would distribute connections regardless of load. */
  shareSocket(socket: ShareableSocket): void {
    if (this.#desired === 1 && !this.#renewing) this.instances.only?.lease(socket)
  }

  /** Drains all instances. The next start launches new ones. */
  sleep(): void {
    this.#listsOnly = false
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#dismiss(this.instances.live)
  }

  /** Stops all instances permanently. A pending start rejects. */
  async close(drainMs: number, options?: DrainOptions): Promise<void> {
    this.#halt()
    this.#starting?.reject(this.stoppedError())
    this.#starting = undefined
    await this.instances.dismissAll(drainMs, options)
  }

  stoppedError(): HostingError {
    return new HostingError('CANCELLED', `Server "${this.served.serverName}" was stopped.`)
  }

  get isMissing(): boolean {
    return this.#count() < this.#desired
  }

  onReady(instance: Instance): void {
    this.instances.notifyEarlier(instance)
    if (!this.#listsOnly)
      this.#log('info', `instance ${instance.id} is ready after ${instance.readyAt! - instance.startedAt} ms`)
    this.#owner.onReady()
    this.instances.rebalance()
    this.#settleStart()
  }

  onMetrics(series: SeriesCounts[]): void {
    if (series.length > 0) this.options.onTraffic(this.served.id, series)
    if (this.#desired === 0) return
    this.#owner.onActivity()
    this.#watchMemory()?.check(this.instances.ready)
    this.#scale()?.sample(series)
  }

  onFailed(instance: Instance, error: Error): void {
    this.#launcher.onFailed(instance, error)
  }

  onState(instance: Instance): void {
    if (!this.#listsOnly) this.options.onInstance(this.served, instance)
  }

  /** Logs nothing, because the instance answers and logs the request that woke it. */
  onWake(instance: Instance): void {
    this.#listsOnly = false
    this.onState(instance)
  }

  onGiveUp(error: Error): void {
    this.#log('error', error.message)
    this.#halt()
    void this.instances.dismissAll(0)
    const starting = this.#starting
    this.#starting = undefined
    starting?.reject(error)
    this.#owner.onGiveUp(error, starting !== undefined)
  }

  get #minimum(): number {
    const { placement, scaling } = this.served
    return placement === 'shared' ? 1 : Math.max(1, scaling.min)
  }

  /** Makes the reserve serve and drains the previous instances. */
  #switchTo(reserve: Instance[]): void {
    const old = this.instances.live
    this.#listsOnly = false
    this.#log('info', `restarted: ${reserve.length} new instances replace ${old.length}`)
    this.#launcher.cancelRestarts()
    this.#launcher.forgetCrashes()
    for (const instance of reserve) instance.isReserve = false
    this.#dismiss(old)
    for (const instance of reserve) this.onReady(instance)
    this.#fill()
  }

  /** Number of instances that run, start, or wait for a restart. */
  #count(): number {
    return this.instances.live.length + this.#launcher.pendingRestarts
  }

  #fill(): void {
    for (let missing = this.#desired - this.#count(); missing > 0; missing--) void this.#launcher.launch()
  }

  #scaleTo(count: number): void {
    this.#log('info', `scaled from ${this.#count()} to ${count} instances`)
    this.#desired = count
    this.#fill()
    const surplus = Math.max(0, this.#count() - count)
    const quietest = this.instances.ready.sort((a, b) => a.connections - b.connections)
    this.#dismiss(quietest.slice(0, surplus))
  }

  #dismiss(instances: Instance[]): void {
    for (const instance of instances) void this.instances.dismiss(instance, this.options.limits.drainMs)
  }

  #halt(): void {
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#launcher.cancelRestarts()
  }

  #settleStart(): void {
    if (!this.#starting || this.instances.ready.length < this.#minimum) return
    this.#starting.resolve()
    this.#starting = undefined
  }

  #watchMemory(): MemoryWatch | undefined {
    const { placement, memoryMb } = this.served
    if (placement === 'shared' || memoryMb === undefined) return undefined
    this.#memory ??= new MemoryWatch({
      limitBytes: memoryMb * 1024 * 1024,
      startReserve: history => this.#launcher.startReserve(1, history),
      isWanted: instance => instance.isReady && this.#desired > 0,
      swap: (old, next) => {
        this.#dismiss([old])
        this.onReady(next)
      },
      dismiss: instance => this.#dismiss([instance]),
      log: (level, message) => void (this.#desired > 0 && this.#log(level, message)),
    })
    return this.#memory
  }

  #scale(): Autoscaler | undefined {
    const { placement, scaling } = this.served
    const limits = usefulLimits(scaling)
    if (placement === 'shared' || limits.max <= this.#minimum) return undefined
    this.#autoscaler ??= new Autoscaler({
      ...limits,
      countInstances: () => (this.#desired === 0 ? 0 : this.#count()),
      calmMs: this.options.limits.calmMs,
      load: now => ({
        activeRequests: this.instances.activeRequests,
        busy: this.instances.utilization(now),
      }),
      scaleTo: count => this.#scaleTo(count),
    })
    return this.#autoscaler
  }

  #log(level: LogLine['level'], message: string): void {
    this.options.log(this.served.id, level, message)
  }
}
