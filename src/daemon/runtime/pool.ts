import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import type { EarlierVersion, LogLine } from '../../shared/instance-protocol.ts'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import { addRevoked, type RevokedTokens } from '../../shared/revoked-tokens.ts'
import { Autoscaler } from './autoscaler.ts'
import { Doorkeeper } from './doorkeeper.ts'
import { HeldConnections } from './held-connections.ts'
import { HostEndedError } from './host-ending.ts'
import { IdleTimer } from './idle-timer.ts'
import type { Instance } from './instance.ts'
import { InstanceSet, type Leaving } from './instance-set.ts'
import { keepSessions } from './keep-sessions.ts'
import { Launcher } from './launcher.ts'
import type { LendableSocket } from './loan.ts'
import { MemoryWatch } from './memory-watch.ts'
import type { NamedRequest } from './named-request.ts'
import type { Placement } from './placement.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { Served, ServedReport } from './supervisor.ts'
import { refuseConnection } from './unavailable.ts'

export interface PoolOptions {
  served: Served
  placement: Placement
  /** Of what answers for it while it sleeps. */
  doorPlacement: Placement
  limits: PoolLimits
  /** Not called for a failure that a pending `start` rejects with. */
  onFailed(error: Error): void
  onTraffic(series: SeriesCounts[]): void
  onEvent(line: LogLine): void
}

/** All instances of one deployment or preview, and the connections that wait for one. */
export class Pool {
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #instances = new InstanceSet({
    onMetrics: series => this.#onMetrics(series),
    onEnded: (instance, ending) => this.#launcher.onCrash(instance, new HostEndedError(ending)),
    onFailed: (instance, error) => this.#launcher.onCrash(instance, error),
    onWake: () => this.#awaken(),
  })
  readonly #held: HeldConnections
  readonly #launcher: Launcher
  readonly #idle: IdleTimer | undefined
  readonly #autoscaler: Autoscaler | undefined
  readonly #memory: MemoryWatch | undefined
  readonly #door: Doorkeeper | undefined
  readonly #least: number
  /** Instances there should be; 0 is asleep. */
  #desired = 0
  /** An instance runs, but only answers what its artifact tells: nobody is to see it awake. */
  #dozing = false
  #closing = false
  #onward: Leaving['onward']
  #failure: Error | undefined
  #starting: PromiseWithResolvers<void> | undefined
  #renewing: Promise<void> | undefined

  constructor(options: PoolOptions) {
    const { placement, scaling, idleMs, memoryMb } = options.served
    this.#options = options
    this.#served = options.served
    this.#held = new HeldConnections(options.limits.hold)
    this.#launcher = this.#createLauncher()
    this.#least = placement === 'shared' ? 1 : Math.max(1, scaling.min)
    if (placement === 'dedicated' && options.served.answersAsleep && !options.served.isContained)
      this.#door = this.#createDoorkeeper()
    if (idleMs !== null) this.#idle = this.#createIdleTimer(idleMs)
    if (placement === 'dedicated' && memoryMb !== undefined) this.#memory = this.#createMemoryWatch(memoryMb)
    if (placement === 'dedicated' && scaling.max > this.#least) this.#autoscaler = this.#createAutoscaler()
  }

  /** Brings the least number of instances to ready; rejects with the reason when that fails for good. */
  start(): Promise<void> {
    this.#dozing = false
    return this.#start()
  }

  #start(): Promise<void> {
    if (this.#closing) return Promise.reject(this.#stoppedError())
    if (this.#failure) this.#launcher.forgetCrashes()
    this.#failure = undefined
    this.#starting ??= Promise.withResolvers()
    const { promise } = this.#starting
    this.#desired = Math.max(this.#desired, this.#least)
    this.#idle?.touch()
    this.#fill()
    this.#settleStart()
    return promise
  }

  /** See `Supervisor.renew`; one under way is shared by all who ask. */
  renew(): Promise<void> {
    if (this.#desired === 0 || this.#closing) return this.start()
    this.#renewing ??= this.#launcher
      .startReserve(this.#desired)
      .then(reserve => this.#switchTo(reserve))
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  /** Hands the connection to the least loaded instance, or holds it until there is one. */
  connect(socket: Socket, named?: NamedRequest): void {
    if (this.#closing) return this.#turnAway(socket, named)
    if (this.#failure)
      return refuseConnection(socket, { message: this.#failure.message, retryAfterSeconds: 30 }, named)
    if (this.#desired === 0 && this.#door) return this.#door.connect(socket, named)
    this.#idle?.touch()
    const instance = this.#instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.connect(socket, named))
    this.#held.add({ socket, named })
    if (this.#desired === 0)
      this.#wake({ dozing: this.#served.placement === 'shared' && this.#served.answersAsleep === true })
  }

  /** With a second instance about to come the kernel would share out connections regardless of load. */
  lend(socket: LendableSocket): void {
    if (this.#desired === 1 && !this.#renewing && !this.#closing) this.#instances.only?.borrow(socket)
  }

  /** Lets open and held connections end by themselves, up to the limit; then ends all instances. */
  async drain(leaving?: Leaving): Promise<void> {
    this.#onward = leaving?.onward
    if (!this.#onward && this.#held.size > 0) await this.#held.emptied()
    await this.#close(this.#options.limits.drainMs, leaving)
  }

  /** Before a release: where its instances will serve the sessions that stay. One that does not answer has none. */
  keepSessions(): Promise<EarlierVersion['instances']> {
    return keepSessions(this.#instances.ready)
  }

  /** For instances that run and for those that will. */
  revoke(issuer: string, tokens: RevokedTokens): void {
    const { auth } = this.#served.tenant
    if (auth?.issuer !== issuer) return
    addRevoked(auth, tokens)
    this.#instances.tellRevoked(tokens)
  }

  /** What its instances are told of sessions that stay. */
  get staying(): Pick<InstanceSet, 'earlier' | 'letSessionsGo' | 'sessions'> {
    return this.#instances
  }

  /** Ends all instances at once. */
  remove(): Promise<void> {
    return this.#close(0)
  }

  async holdLog(instanceId: string): Promise<() => void> {
    const instance = this.#instances.find(instanceId) ?? this.#door?.instances.find(instanceId)
    return instance ? instance.place.host.holdLog(instance.place.tenant.id) : () => {}
  }

  report(): ServedReport {
    const report = this.#instances.report()
    return this.#dozing ? { ...report, instances: [] } : report
  }

  /** Ids of all instances that write a log, whether they are shown or not. */
  writers(): string[] {
    const all = [this.#instances, ...(this.#door ? [this.#door.instances] : [])]
    return all.flatMap(set => set.report().instances.map(({ id }) => id))
  }

  /** From now on the reserve serves, and what served until now drains. */
  #switchTo(reserve: Instance[]): void {
    const old = this.#instances.live
    this.#dozing = false
    this.#tell('info', `restarted: ${reserve.length} new for ${old.length} instances`)
    this.#launcher.cancelRestarts()
    this.#launcher.forgetCrashes()
    for (const instance of reserve) instance.isReserve = false
    this.#dismiss(old)
    for (const instance of reserve) this.#onReady(instance)
    this.#fill()
  }

  #wake({ dozing }: { dozing: boolean }): void {
    if (!dozing) this.#tell('info', `woken by a ${this.#served.answersAsleep ? 'request' : 'connection'}`)
    this.#dozing = dozing
    this.#start().catch(async error => {
      // Its address may close with that; the request that woke it is to hear the reason there.
      await this.#door?.relayed()
      if (!this.#closing) this.#options.onFailed(error)
    })
  }

  /** The request that needs it is answered by the instance that has it. */
  #awaken(): void {
    if (!this.#dozing) return
    this.#dozing = false
    this.#tell('info', 'woken by a request')
  }

  #sleep(): void {
    if (!this.#dozing)
      this.#tell('info', `asleep after ${this.#served.idleMs! / 1000} s without a connection or a request`)
    this.#dozing = false
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#dismiss(this.#instances.live)
  }

  /** Instances that are there or will be by themselves. */
  #countComing(): number {
    return this.#instances.live.length + this.#launcher.pendingRestarts
  }

  #fill(): void {
    for (let missing = this.#desired - this.#countComing(); missing > 0; missing--) this.#launcher.launch()
  }

  #scaleTo(count: number): void {
    this.#tell('info', `scaled from ${this.#countComing()} to ${count} instances`)
    this.#desired = count
    this.#fill()
    const surplus = Math.max(0, this.#countComing() - count)
    const quietest = this.#instances.ready.sort((a, b) => a.connections - b.connections)
    this.#dismiss(quietest.slice(0, surplus))
  }

  #dismiss(instances: Instance[]): void {
    for (const instance of instances) void this.#instances.dismiss(instance, this.#options.limits.drainMs)
  }

  #onReady(instance: Instance): void {
    this.#instances.tellEarlier(instance)
    if (!this.#dozing)
      this.#tell(
        'info',
        `instance ${instance.id} is ready after ${instance.readyAt! - instance.startedAt} ms`,
      )
    for (const { socket, named } of this.#held.takeAll()) this.connect(socket, named)
    this.#instances.rebalance()
    this.#settleStart()
  }

  #onMetrics(series: SeriesCounts[]): void {
    if (series.length > 0) this.#options.onTraffic(series)
    if (this.#desired === 0) return
    this.#memory?.look(this.#instances.ready)
    this.#idle?.touch()
    this.#autoscaler?.sample(series)
  }

  #fail(error: Error): void {
    this.#tell('error', error.message)
    this.#failure = error
    this.#halt()
    this.#held.refuseAll({ message: error.message, retryAfterSeconds: 30 })
    void this.#instances.dismissAll(0)
    const starting = this.#starting
    this.#starting = undefined
    if (starting) starting.reject(error)
    else this.#options.onFailed(error)
  }

  async #close(drainMs: number, leaving?: Leaving): Promise<void> {
    this.#closing = true
    this.#halt()
    for (const { socket, named } of this.#held.takeAll()) this.#turnAway(socket, named)
    this.#starting?.reject(this.#stoppedError())
    this.#starting = undefined
    await Promise.all([this.#instances.dismissAll(drainMs, leaving), this.#door?.close(drainMs, leaving)])
  }

  #halt(): void {
    this.#desired = 0
    this.#idle?.stop()
    this.#autoscaler?.stop()
    this.#launcher.cancelRestarts()
  }

  #turnAway(socket: Socket, named: NamedRequest | undefined): void {
    if (this.#onward) this.#onward(socket, named)
    else refuseConnection(socket, stopped, named)
  }

  #settleStart(): void {
    if (!this.#starting || this.#instances.ready.length < this.#least) return
    this.#starting.resolve()
    this.#starting = undefined
  }

  #createIdleTimer(idleMs: number): IdleTimer {
    return new IdleTimer({
      idleMs,
      isBusy: now =>
        this.#starting !== undefined ||
        this.#held.size > 0 ||
        this.#renewing !== undefined ||
        this.#instances.isBusy(now),
      onIdle: () => this.#sleep(),
    })
  }

  #createMemoryWatch(memoryMb: number): MemoryWatch {
    return new MemoryWatch({
      limitBytes: memoryMb * 1024 * 1024,
      startReserve: past => this.#launcher.startReserve(1, past),
      isWanted: instance => instance.isReady && this.#desired > 0,
      swap: (old, next) => {
        this.#dismiss([old])
        this.#onReady(next)
      },
      dismiss: instance => this.#dismiss([instance]),
      tell: (level, message) => this.#closing || this.#tell(level, message),
    })
  }

  #createLauncher(): Launcher {
    return new Launcher({
      served: this.#served,
      placement: this.#options.placement,
      instances: this.#instances,
      startMs: this.#options.limits.startMs,
      isDozing: () => this.#dozing,
      isMissing: () => this.#countComing() < this.#desired,
      onReady: instance => this.#onReady(instance),
      onFailed: error => this.#fail(error),
      tell: (level, message) => this.#tell(level, message),
    })
  }

  #createDoorkeeper(): Doorkeeper {
    const { served, doorPlacement, limits, onTraffic } = this.#options
    const wake = () => {
      if (this.#desired === 0 && !this.#closing) this.#wake({ dozing: false })
    }
    return new Doorkeeper({
      served,
      placement: doorPlacement,
      limits,
      onNeeded: wake,
      onUnanswered: (socket, named) => {
        wake()
        this.connect(socket, named)
      },
      onTraffic,
    })
  }

  #createAutoscaler(): Autoscaler {
    return new Autoscaler({
      ...this.#served.scaling,
      countInstances: () => (this.#desired === 0 ? 0 : this.#countComing()),
      calmMs: this.#options.limits.calmMs,
      load: now => ({ activeRequests: this.#instances.activeRequests, busy: this.#instances.busy(now) }),
      scaleTo: count => this.#scaleTo(count),
    })
  }

  #stoppedError(): HostingError {
    return new HostingError('CANCELLED', `Server "${this.#served.tenant.serverName}" was stopped.`)
  }

  #tell(level: LogLine['level'], message: string): void {
    this.#options.onEvent({ timestamp: new Date().toISOString(), level, stream: 'server', message })
  }
}

const stopped = { message: 'This server was stopped or replaced.', retryAfterSeconds: 1 }
