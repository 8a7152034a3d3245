import type { Socket } from 'node:net'
import type { EarlierVersion, LogLine } from '../../shared/instance-protocol.ts'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import { addRevoked, type RevokedTokens } from '../../shared/revoked-tokens.ts'
import { Doorkeeper, type DoorkeeperOwner } from './doorkeeper.ts'
import { HeldConnections } from './held-connections.ts'
import { IdleTimer, type IdleTimerOwner } from './idle-timer.ts'
import type { Instance } from './instance.ts'
import type { InstanceSet, Leaving } from './instance-set.ts'
import { keepSessions } from './keep-sessions.ts'
import type { LendableSocket } from './loan.ts'
import type { NamedRequest } from './named-request.ts'
import type { Placement } from './placement.ts'
import type { PoolLimits } from './pool-limits.ts'
import { Replicas, type ReplicasOwner } from './replicas.ts'
import type { Served, ServedReport } from './supervisor.ts'
import { refuseConnection } from './unavailable.ts'

/** The same for all pools. */
export interface PoolOptions {
  placements: Record<Served['placement'], Placement>
  limits: PoolLimits
  /** Not called for a failure that a pending `start` rejects with. */
  onFailed(id: string, error: Error): void
  onTraffic(id: string, series: SeriesCounts[]): void
  onEvent(id: string, line: LogLine): void
}

/**
 * One deployment or preview: awake, asleep or leaving, and where its connections go. Thousands of them are kept that hardly
 * ever get one, so what only a connection needs is made with the first one, and no part has closures of its own.
 */
export class Pool implements ReplicasOwner, DoorkeeperOwner, IdleTimerOwner {
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #replicas: Replicas
  readonly #idle: IdleTimer | undefined
  #held: HeldConnections | undefined
  #doorkeeper: Doorkeeper | undefined
  /** An instance runs, but only answers what its artifact tells: nobody is to see it awake. */
  #dozing = false
  #closing = false
  #onward: Leaving['onward']
  #failure: Error | undefined

  constructor(served: Served, options: PoolOptions) {
    const { placements, limits } = options
    this.#served = served
    this.#options = options
    this.#replicas = new Replicas({ served, placement: placements[served.placement], limits }, this)
    if (served.idleMs !== null) this.#idle = new IdleTimer(served.idleMs, this)
  }

  /** Brings the least number of instances to ready; rejects with the reason when that fails for good. */
  start(): Promise<void> {
    this.#dozing = false
    return this.#start()
  }

  /** See `Supervisor.renew`. */
  renew(): Promise<void> {
    if (!this.#replicas.areWanted || this.#closing) return this.start()
    return this.#replicas.renew(() => {
      this.#dozing = false
    })
  }

  /** Hands the connection to the least loaded instance, or holds it until there is one. */
  connect(socket: Socket, named?: NamedRequest): void {
    if (this.#closing) return this.#turnAway(socket, named)
    if (this.#failure)
      return refuseConnection(socket, { message: this.#failure.message, retryAfterSeconds: 30 }, named)
    if (!this.#replicas.areWanted && this.#hasDoor) return this.#door.connect(socket, named)
    this.#idle?.touch()
    const instance = this.#replicas.instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.connect(socket, named))
    this.#held ??= new HeldConnections(this.#options.limits.hold)
    this.#held.add({ socket, named })
    if (!this.#replicas.areWanted)
      this.#wake({ dozing: this.#served.placement === 'shared' && this.#served.answersAsleep === true })
  }

  lend(socket: LendableSocket): void {
    if (!this.#closing) this.#replicas.lend(socket)
  }

  /** Lets open and held connections end by themselves, up to the limit; then ends all instances. */
  async drain(leaving?: Leaving): Promise<void> {
    this.#onward = leaving?.onward
    if (!this.#onward && this.#held && this.#held.size > 0) await this.#held.emptied()
    await this.#close(this.#options.limits.drainMs, leaving)
  }

  /** Before a release: where its instances will serve the sessions that stay. One that does not answer has none. */
  keepSessions(): Promise<EarlierVersion['instances']> {
    return keepSessions(this.#replicas.instances.ready)
  }

  /** For instances that run and for those that will. */
  revoke(issuer: string, tokens: RevokedTokens): void {
    const { auth } = this.#served
    if (auth?.issuer !== issuer) return
    addRevoked(auth, tokens)
    this.#replicas.instances.tellRevoked(tokens)
  }

  /** What its instances are told of sessions that stay. */
  get staying(): Pick<InstanceSet, 'earlier' | 'letSessionsGo' | 'sessions'> {
    return this.#replicas.instances
  }

  /** Ends all instances at once. */
  remove(): Promise<void> {
    return this.#close(0)
  }

  async holdLog(instanceId: string): Promise<() => void> {
    const instance = this.#replicas.instances.find(instanceId) ?? this.#doorkeeper?.instances.find(instanceId)
    return instance ? instance.place.host.holdLog(instance.place.tenantId) : () => {}
  }

  report(): ServedReport {
    const report = this.#replicas.instances.report()
    return this.#dozing ? { ...report, instances: [] } : report
  }

  /** Ids of all instances that may have written a log line since then, whether they are shown or not. */
  writers(since: number): string[] {
    // Code writes when it likes; whatever else is written is written of requests.
    const { ids } = this.#replicas.instances
    const own = this.#served.placement === 'dedicated' ? ids : this.#replicas.instances.idsHeardOfSince(since)
    return [...own, ...(this.#doorkeeper?.instances.idsHeardOfSince(since) ?? [])]
  }

  get isDozing(): boolean {
    return this.#dozing
  }

  onReady(instance: Instance): void {
    if (!this.#dozing)
      this.tell('info', `instance ${instance.id} is ready after ${instance.readyAt! - instance.startedAt} ms`)
    for (const { socket, named } of this.#held?.takeAll() ?? []) this.connect(socket, named)
  }

  onMetrics(series: SeriesCounts[]): void {
    if (series.length > 0) this.onTraffic(series)
    if (this.#replicas.areWanted) this.#idle?.touch()
  }

  onTraffic(series: SeriesCounts[]): void {
    this.#options.onTraffic(this.#served.id, series)
  }

  /** The request that needs it is answered by the instance that has it, which writes so into its log. */
  onWake(): void {
    this.#dozing = false
  }

  onGivenUp(error: Error, isTold: boolean): void {
    this.#failure = error
    this.#idle?.stop()
    this.#held?.refuseAll({ message: error.message, retryAfterSeconds: 30 })
    if (!isTold) this.#options.onFailed(this.#served.id, error)
  }

  /** A request at the door needs the server itself. */
  onNeeded(): void {
    if (!this.#replicas.areWanted && !this.#closing) this.#wake({ dozing: false })
  }

  onUnanswered(socket: Socket, named: NamedRequest | undefined): void {
    this.onNeeded()
    this.connect(socket, named)
  }

  isBusy(now: number): boolean {
    const { areComing, instances } = this.#replicas
    return areComing || (this.#held?.size ?? 0) > 0 || instances.isBusy(now)
  }

  onIdle(): void {
    if (!this.#dozing)
      this.tell('info', `asleep after ${this.#served.idleMs! / 1000} s without a connection or a request`)
    this.#dozing = false
    this.#replicas.sleep()
  }

  tell(level: LogLine['level'], message: string): void {
    const line = { timestamp: new Date().toISOString(), level, stream: 'server', message } as const
    this.#options.onEvent(this.#served.id, line)
  }

  #start(): Promise<void> {
    if (this.#closing) return Promise.reject(this.#replicas.stoppedError())
    if (this.#failure) this.#replicas.forgetCrashes()
    this.#failure = undefined
    this.#idle?.touch()
    return this.#replicas.start()
  }

  #wake({ dozing }: { dozing: boolean }): void {
    if (!dozing) this.tell('info', `woken by a ${this.#served.answersAsleep ? 'request' : 'connection'}`)
    this.#dozing = dozing
    this.#start().catch(async error => {
      // Its address may close with that; the request that woke it is to hear the reason there.
      await this.#doorkeeper?.relayed()
      if (!this.#closing) this.#options.onFailed(this.#served.id, error)
    })
  }

  async #close(drainMs: number, leaving?: Leaving): Promise<void> {
    this.#closing = true
    this.#idle?.stop()
    for (const { socket, named } of this.#held?.takeAll() ?? []) this.#turnAway(socket, named)
    await Promise.all([this.#replicas.close(drainMs, leaving), this.#doorkeeper?.close(drainMs, leaving)])
  }

  #turnAway(socket: Socket, named: NamedRequest | undefined): void {
    if (this.#onward) this.#onward(socket, named)
    else refuseConnection(socket, stopped, named)
  }

  get #hasDoor(): boolean {
    const { placement, answersAsleep } = this.#served
    return placement === 'dedicated' && answersAsleep === true
  }

  get #door(): Doorkeeper {
    const { limits, placements } = this.#options
    const { shared: placement } = placements
    this.#doorkeeper ??= new Doorkeeper({ served: this.#served, placement, limits }, this)
    return this.#doorkeeper
  }
}

const stopped = { message: 'This server was stopped or replaced.', retryAfterSeconds: 1 }
