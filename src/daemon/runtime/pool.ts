import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import type { ChangedList, LogLine } from '../../shared/instance-protocol.ts'
import { Autoscaler } from './autoscaler.ts'
import { CrashHistory } from './crash-history.ts'
import { HeldConnections } from './held-connections.ts'
import type { ServedCode } from './host.ts'
import { HostEndedError } from './host-ending.ts'
import { lastLines } from './host-logs.ts'
import { IdleTimer } from './idle-timer.ts'
import type { Instance } from './instance.ts'
import { InstanceSet } from './instance-set.ts'
import type { LendableSocket } from './loan.ts'
import type { NamedRequest } from './named-request.ts'
import { type Place, type Placement, processKindOf } from './placement.ts'
import type { PoolLimits } from './pool-limits.ts'
import { startReserve } from './reserve.ts'
import { restartDelayMs } from './restart-backoff.ts'
import { RestartTimers } from './restart-timers.ts'
import { describeStartFailure, isFinalFailure } from './start-failure.ts'
import type { Served, ServedReport } from './supervisor.ts'
import { refuseConnection } from './unavailable.ts'

export interface PoolOptions {
  served: Served
  placement: Placement
  limits: PoolLimits
  /** Not called for a failure that a pending `start` rejects with. */
  onFailed(error: Error): void
  onEvent(line: LogLine): void
}

/** All instances of one deployment or preview, and the connections that wait for one. */
export class Pool {
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #instances = new InstanceSet({
    onMetrics: () => this.#onMetrics(),
    onEnded: (instance, ending) => this.#onCrash(instance, new HostEndedError(ending)),
    onFailed: (instance, error) => this.#onCrash(instance, error),
  })
  readonly #held: HeldConnections
  readonly #restarts = new RestartTimers()
  readonly #idle: IdleTimer | undefined
  readonly #autoscaler: Autoscaler | undefined
  readonly #least: number
  #history = new CrashHistory()
  /** Instances there should be; 0 is asleep. */
  #desired = 0
  #closing = false
  #failure: Error | undefined
  #starting: PromiseWithResolvers<void> | undefined
  #renewing: Promise<void> | undefined

  constructor(options: PoolOptions) {
    const { placement, scaling, idleMs } = options.served
    this.#options = options
    this.#served = options.served
    this.#held = new HeldConnections(options.limits.hold)
    this.#least = placement === 'shared' ? 1 : Math.max(1, scaling.min)
    if (idleMs !== null) this.#idle = this.#createIdleTimer(idleMs)
    if (placement === 'dedicated' && scaling.max > this.#least) this.#autoscaler = this.#createAutoscaler()
  }

  /** Brings the least number of instances to ready; rejects with the reason when that fails for good. */
  start(): Promise<void> {
    if (this.#closing) return Promise.reject(this.#stoppedError())
    if (this.#failure) this.#history = new CrashHistory()
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
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Hands the connection to the least loaded instance, or holds it until there is one. */
  connect(socket: Socket, named?: NamedRequest): void {
    if (this.#closing) return refuseConnection(socket, stopped, named)
    if (this.#failure)
      return refuseConnection(socket, { message: this.#failure.message, retryAfterSeconds: 30 }, named)
    this.#idle?.touch()
    const instance = this.#instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.connect(socket, named))
    this.#held.add({ socket, named })
    if (this.#desired === 0) this.#wake()
  }

  /** With a second instance about to come the kernel would share out connections regardless of load. */
  lend(socket: LendableSocket): void {
    if (this.#desired === 1 && !this.#renewing && !this.#closing) this.#instances.only?.borrow(socket)
  }

  /** Lets open and held connections end by themselves, up to the limit; then ends all instances. */
  async drain(changed?: ChangedList[]): Promise<void> {
    await this.#held.emptied()
    await this.#close(this.#options.limits.drainMs, changed)
  }

  /** Ends all instances at once. */
  remove(): Promise<void> {
    return this.#close(0)
  }

  async holdLog(instanceId: string): Promise<() => void> {
    const instance = this.#instances.find(instanceId)
    return instance ? instance.place.host.holdLog(instance.place.tenant.id) : () => {}
  }

  report(): ServedReport {
    return this.#instances.report()
  }

  async #renew(): Promise<void> {
    const code = this.#loadCode()
    const reserve = await startReserve(this.#desired, {
      serverName: this.#served.tenant.serverName,
      open: () => this.#instances.open(this.#place(code, { beside: true }), 0),
      start: instance => this.#startInstance(instance, code),
      dismiss: instance => this.#instances.dismiss(instance, 0),
    })
    this.#switchTo(reserve)
  }

  /** From now on the reserve serves, and what served until now drains. */
  #switchTo(reserve: Instance[]): void {
    const old = this.#instances.live
    this.#tell('info', `restarted: ${reserve.length} new for ${old.length} instances`)
    this.#restarts.clear()
    this.#history = new CrashHistory()
    for (const instance of reserve) instance.isReserve = false
    this.#dismiss(old)
    for (const instance of reserve) this.#onReady(instance)
    this.#fill()
  }

  #wake(): void {
    this.#tell('info', 'woken by a connection')
    this.start().catch(error => {
      if (!this.#closing) this.#options.onFailed(error)
    })
  }

  #sleep(): void {
    this.#tell('info', `asleep after ${this.#served.idleMs! / 1000} s without a connection or a request`)
    this.#desired = 0
    this.#autoscaler?.stop()
    this.#dismiss(this.#instances.live)
  }

  /** Instances that are there or will be by themselves. */
  #countComing(): number {
    return this.#instances.live.length + this.#restarts.size
  }

  #fill(): void {
    for (let missing = this.#desired - this.#countComing(); missing > 0; missing--) this.#launch(0)
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

  #launch(restarts: number, lastFailure?: string): void {
    try {
      const code = this.#loadCode()
      const place = this.#place(code, { beside: false })
      void this.#run(this.#instances.open(place, restarts, lastFailure), code)
    } catch (error) {
      this.#onFailure(error as Error, { restarts })
    }
  }

  #place({ artifact }: ServedCode, { beside }: { beside: boolean }): Place {
    this.#instances.endLoans()
    // Twice ended without health: it may be the one that takes its neighbours down.
    const alone = this.#history.unhealthy >= 2
    return this.#options.placement(this.#served.tenant, {
      alone,
      beside,
      kind: processKindOf(artifact),
    })
  }

  #loadCode(): ServedCode {
    return { artifact: this.#served.loadArtifact(), bundle: this.#served.loadBundle?.() }
  }

  async #startInstance(instance: Instance, code: ServedCode): Promise<void> {
    await instance.start(code, this.#options.limits.startMs)
  }

  async #run(instance: Instance, code: ServedCode): Promise<void> {
    try {
      await this.#startInstance(instance, code)
      if (instance.state === 'ready') this.#onReady(instance)
    } catch (error) {
      this.#onCrash(instance, error as Error)
    }
  }

  #onReady(instance: Instance): void {
    this.#tell('info', `instance ${instance.id} is ready after ${instance.readyAt! - instance.startedAt} ms`)
    for (const { socket, named } of this.#held.takeAll()) this.connect(socket, named)
    this.#settleStart()
  }

  #onMetrics(): void {
    if (this.#desired === 0) return
    this.#idle?.touch()
    this.#autoscaler?.sample()
  }

  #onCrash(instance: Instance, error: Error): void {
    if (!instance.isLive) return // dismissed, or its end is known already
    this.#instances.forget(instance)
    void instance.place.leave()
    this.#onFailure(error, { instance, restarts: instance.restarts })
  }

  /** Without `instance` there was not even a process. */
  #onFailure(error: Error, { instance, restarts }: { instance?: Instance; restarts: number }): void {
    const output = instance ? lastLines(instance.place.host.logPath) : []
    // A kill for a reason is the daemon's own answer to what the process did.
    const ending = error instanceof HostEndedError ? error.ending : undefined
    const signal = ending?.reason === undefined ? (ending?.signal ?? null) : null
    const { failuresInARow, isLoop } = this.#history.add({
      at: Date.now(),
      readyAt: instance?.readyAt,
      signal,
    })
    if (isLoop || isFinalFailure(error))
      return this.#fail(describeStartFailure(this.#served.tenant.serverName, error, { isLoop, output }))
    const delayMs = restartDelayMs(failuresInARow)
    const who = instance ? `instance ${instance.id}` : 'an instance'
    this.#tell('error', `${who} ${error.message}; restarting ${delayMs === 0 ? 'now' : `in ${delayMs} ms`}`)
    this.#restarts.add(delayMs, () => {
      if (this.#countComing() < this.#desired) this.#launch(restarts + 1, error.message)
    })
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

  async #close(drainMs: number, changed?: ChangedList[]): Promise<void> {
    this.#closing = true
    this.#halt()
    this.#held.refuseAll(stopped)
    this.#starting?.reject(this.#stoppedError())
    this.#starting = undefined
    await this.#instances.dismissAll(drainMs, changed)
  }

  #halt(): void {
    this.#desired = 0
    this.#idle?.stop()
    this.#autoscaler?.stop()
    this.#restarts.clear()
  }

  #settleStart(): void {
    if (!this.#starting || this.#instances.ready.length < this.#least) return
    this.#starting.resolve()
    this.#starting = undefined
  }

  #createIdleTimer(idleMs: number): IdleTimer {
    return new IdleTimer({
      idleMs,
      isBusy: now => this.#held.size > 0 || this.#renewing !== undefined || this.#instances.isBusy(now),
      onIdle: () => this.#sleep(),
    })
  }

  #createAutoscaler(): Autoscaler {
    return new Autoscaler({
      ...this.#served.scaling,
      countInstances: () => (this.#desired === 0 ? 0 : this.#countComing()),
      countActiveRequests: () => this.#instances.activeRequests,
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
