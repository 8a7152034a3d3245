import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { Autoscaler } from './autoscaler.ts'
import { CRASH_LOOP, CrashHistory } from './crash-history.ts'
import { HeldConnections, type HoldLimits } from './held-connections.ts'
import { HostEndedError, RefusedArtifactError } from './host.ts'
import { lastLines } from './host-logs.ts'
import { IdleTimer } from './idle-timer.ts'
import { Instance } from './instance.ts'
import type { Placement } from './placement.ts'
import { restartDelayMs } from './restart-backoff.ts'
import type { Served, ServedReport } from './supervisor.ts'
import { Traffic } from './traffic.ts'
import { refuseConnection } from './unavailable.ts'

export interface PoolLimits {
  hold: HoldLimits
  /** From the start of an instance until it serves. */
  startMs: number
  /** From the wish to drain until what is still open is cut. */
  drainMs: number
  /** A failed pool tries again when a connection comes after this time. */
  retryFailedMs: number
}

export interface PoolOptions {
  served: Served
  placement: Placement
  limits: PoolLimits
  onFailed(error: Error): void
  onEvent(line: LogLine): void
}

/** All instances of one deployment or preview, and the connections that wait for one. */
export class Pool {
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #instances = new Set<Instance>()
  readonly #held: HeldConnections
  readonly #traffic = new Traffic()
  readonly #restarts = new Set<NodeJS.Timeout>()
  readonly #idle: IdleTimer | undefined
  readonly #autoscaler: Autoscaler | undefined
  #history = new CrashHistory()
  /** Instances there should be; 0 is asleep. */
  #desired = 0
  #closing = false
  #failure: { error: Error; at: number } | undefined
  #starting: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#served = options.served
    this.#held = new HeldConnections(options.limits.hold)
    const { idleMs, scaling, placement } = options.served
    if (idleMs !== null)
      this.#idle = new IdleTimer({
        idleMs,
        isBusy: now => this.#live().some(instance => instance.isBusy(now)),
        onIdle: () => this.#sleep(),
      })
    if (placement === 'dedicated' && scaling.max > Math.max(1, scaling.min))
      this.#autoscaler = new Autoscaler({
        ...scaling,
        countInstances: () => (this.#desired === 0 ? 0 : this.#live().length + this.#restarts.size),
        countActiveRequests: () => this.#live().reduce((sum, { activeRequests }) => sum + activeRequests, 0),
        scaleTo: count => this.#scaleTo(count),
      })
  }

  /** Brings the least number of instances to ready; rejects with the reason when that fails for good. */
  start(): Promise<void> {
    if (this.#closing) return Promise.reject(this.#stoppedError())
    if (this.#failure) this.#history = new CrashHistory()
    this.#failure = undefined
    this.#starting ??= Promise.withResolvers()
    const { promise } = this.#starting
    this.#desired = Math.max(this.#desired, this.#leastInstances())
    this.#idle?.touch()
    this.#fill()
    this.#settleStart()
    return promise
  }

  /** Hands the connection to the least loaded instance, or holds it until there is one. */
  connect(socket: Socket, head?: Buffer): void {
    if (this.#closing) return this.#refuse(socket, head, 'This server was stopped or replaced.', 1)
    if (this.#failure && !this.#mayRetry(this.#failure.at))
      return this.#refuse(socket, head, this.#failure.error.message, 30)
    this.#idle?.touch()
    const instance = this.#pick()
    if (instance) return instance.handOver(socket, head, () => this.connect(socket, head))
    this.#held.add({ socket, head })
    if (this.#desired === 0) this.#wake()
  }

  /** Lets open connections end by themselves, up to the limit; then ends all instances. */
  async drain(): Promise<void> {
    if (this.#held.size > 0) await this.#starting?.promise.catch(() => {}) // they are refused below
    await this.#close(this.#options.limits.drainMs)
  }

  /** Ends all instances at once. */
  async remove(): Promise<void> {
    await this.#close(0)
  }

  async holdLog(instanceId: string): Promise<() => void> {
    const instance = [...this.#instances].find(({ id }) => id === instanceId)
    return instance ? instance.place.host.holdLog(this.#served.tenant.id) : () => {}
  }

  report(): ServedReport {
    const now = Date.now()
    const instances = [...this.#instances]
    return {
      instances: instances.map(instance => instance.report(now)),
      requests: this.#traffic.report(instances.map(({ metrics }) => metrics)),
    }
  }

  #wake(): void {
    this.#tell('info', 'woken by a connection')
    this.start().catch(error => this.#options.onFailed(error))
  }

  #sleep(): void {
    this.#tell('info', `asleep: no connection and no request for ${this.#served.idleMs! / 1000} s`)
    this.#desired = 0
    this.#autoscaler?.stop()
    for (const instance of this.#live()) void this.#dismiss(instance, this.#options.limits.drainMs)
  }

  #fill(): void {
    while (this.#live().length + this.#restarts.size < this.#desired && !this.#failure) this.#launch(0)
  }

  #scaleTo(count: number): void {
    this.#tell('info', `scaled from ${this.#live().length} to ${count} instances`)
    this.#desired = count
    this.#fill()
    const surplus = this.#ready().sort((a, b) => a.connections - b.connections)
    for (const instance of surplus.slice(0, Math.max(0, this.#live().length - count)))
      void this.#dismiss(instance, this.#options.limits.drainMs)
  }

  #launch(restarts: number): void {
    try {
      const alone = this.#history.unhealthy >= 2
      const place = this.#options.placement(this.#served.tenant, { alone })
      const instance = new Instance(place, restarts, () => this.#onMetrics())
      this.#instances.add(instance)
      void this.#run(instance)
    } catch (error) {
      this.#onCrash(undefined, error as Error, restarts)
    }
  }

  async #run(instance: Instance): Promise<void> {
    try {
      await instance.start(this.#served.loadArtifact(), this.#options.limits.startMs)
      if (instance.state === 'ready') this.#onReady(instance)
      throw new HostEndedError(await instance.place.host.ended)
    } catch (error) {
      if (instance.state === 'starting' || instance.state === 'ready')
        this.#onCrash(instance, error as Error, instance.restarts)
    }
  }

  #onReady(instance: Instance): void {
    this.#tell('info', `instance ${instance.id} is ready after ${instance.readyAt! - instance.startedAt} ms`)
    for (const { socket, head } of this.#held.takeAll()) this.connect(socket, head)
    this.#settleStart()
  }

  #onMetrics(): void {
    this.#idle?.touch()
    this.#autoscaler?.sample()
  }

  #onCrash(instance: Instance | undefined, error: Error, restarts: number): void {
    const lines = instance ? lastLines(instance.place.host.logPath) : []
    if (instance) {
      this.#forget(instance)
      void instance.place.leave()
    }
    const signal = error instanceof HostEndedError ? error.ending.signal : null
    const { failuresInARow, isLoop } = this.#history.add({
      at: Date.now(),
      readyAt: instance?.readyAt,
      signal,
    })
    const what = `instance ${instance?.id ?? ''} ${error.message}`.replace('  ', ' ')
    if (isLoop || isFinal(error)) return this.#fail(this.#failureOf(error, isLoop, lines))
    const delayMs = restartDelayMs(failuresInARow)
    this.#tell('error', delayMs === 0 ? `${what}; restarting` : `${what}; restarting in ${delayMs} ms`)
    this.#restartIn(delayMs, restarts + 1)
  }

  #restartIn(delayMs: number, restarts: number): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      if (this.#live().length + this.#restarts.size < this.#desired) this.#launch(restarts)
    }, delayMs)
    this.#restarts.add(timer)
  }

  #fail(error: Error): void {
    this.#tell('error', error.message)
    this.#failure = { error, at: Date.now() }
    this.#halt()
    this.#held.refuseAll(error.message, 30)
    for (const instance of this.#live()) void this.#dismiss(instance, 0)
    const starting = this.#starting
    this.#starting = undefined
    if (starting) starting.reject(error)
    else this.#options.onFailed(error)
  }

  async #close(drainMs: number): Promise<void> {
    this.#closing = true
    this.#halt()
    this.#held.refuseAll('This server was stopped or replaced.', 1)
    this.#starting?.reject(this.#stoppedError())
    this.#starting = undefined
    await Promise.all([...this.#instances].map(instance => this.#dismiss(instance, drainMs)))
  }

  #halt(): void {
    this.#desired = 0
    this.#idle?.stop()
    this.#autoscaler?.stop()
    for (const timer of this.#restarts) clearTimeout(timer)
    this.#restarts.clear()
  }

  async #dismiss(instance: Instance, drainMs: number): Promise<void> {
    const served = instance.state !== 'starting'
    instance.state = 'draining'
    const { host, tenant, leave } = instance.place
    if (served && drainMs > 0) await settledWithin(host.drain(tenant.id), drainMs)
    await leave()
    this.#forget(instance)
  }

  #forget(instance: Instance): void {
    if (!this.#instances.delete(instance)) return
    if (instance.metrics) this.#traffic.keep(instance.metrics)
    instance.forget()
  }

  #settleStart(): void {
    if (!this.#starting || this.#ready().length < this.#leastInstances()) return
    this.#starting.resolve()
    this.#starting = undefined
  }

  #leastInstances(): number {
    return this.#served.placement === 'shared' ? 1 : Math.max(1, this.#served.scaling.min)
  }

  #live(): Instance[] {
    return [...this.#instances].filter(({ state }) => state === 'starting' || state === 'ready')
  }

  #ready(): Instance[] {
    return [...this.#instances].filter(({ state }) => state === 'ready')
  }

  #pick(): Instance | undefined {
    let least: Instance | undefined
    for (const instance of this.#instances) {
      if (instance.takesConnections && (!least || instance.connections < least.connections)) least = instance
    }
    return least
  }

  #mayRetry(failedAt: number): boolean {
    return Date.now() - failedAt >= this.#options.limits.retryFailedMs
  }

  #refuse(socket: Socket, head: Buffer | undefined, message: string, retryAfterSeconds: number): void {
    refuseConnection(socket, { message, retryAfterSeconds }, head)
  }

  #failureOf(error: Error, isLoop: boolean, lines: string[]): HostingError {
    if (error instanceof HostingError) return error
    const name = this.#served.tenant.serverName
    const reason = isLoop
      ? `failed ${CRASH_LOOP.failures} times within ${CRASH_LOOP.windowMs / 1000} s, the last time because it ${error.message}`
      : `did not start: ${error.message}`
    return new HostingError('UNAVAILABLE', `Server "${name}" ${reason}.`, {
      details: lines.length > 0 ? lines.join('\n') : undefined,
      cause: error,
    })
  }

  #stoppedError(): HostingError {
    return new HostingError('CANCELLED', `Server "${this.#served.tenant.serverName}" was stopped.`)
  }

  #tell(level: LogLine['level'], message: string): void {
    this.#options.onEvent({ timestamp: new Date().toISOString(), level, stream: 'server', message })
  }
}

/** Trying again cannot help: the artifact is missing, damaged or refused. */
function isFinal(error: Error): boolean {
  return error instanceof RefusedArtifactError || error instanceof HostingError
}

async function settledWithin(promise: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([promise, limit])
  clearTimeout(timer)
}
