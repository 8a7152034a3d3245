import type { Socket } from 'node:net'
import type { EarlierVersion } from '../../../shared/instances/instance-protocol.ts'
import { addRevoked, type RevokedTokens } from '../../../shared/instances/revoked-tokens.ts'
import type { NamedRequest } from '../process/named-request.ts'
import type { ShareableSocket } from '../process/socket-lease.ts'
import type { Served, ServedReport } from '../served.ts'
import type { SessionHolder, SessionPool } from '../sessions/live-sessions.ts'
import { keepSessions, type SessionKeeper } from '../sessions/session-owners.ts'
import type { DrainOptions } from './drain.ts'
import { HeldConnections } from './held-connections.ts'
import { IdleTimer, type IdleTimerOwner } from './idle-timer.ts'
import type { InstanceSet } from './instance-set.ts'
import type { PoolOptions } from './pool-options.ts'
import { Replicas, type ReplicasOwner } from './replicas.ts'
import { SleepingResponder, type SleepingResponderOwner } from './sleeping-responder.ts'
import { refuseConnection } from './unavailable.ts'

/**
 * One deployment or preview, awake or asleep, and the routing of its connections. Thousands of pools hardly ever receive a
 * connection, so fields that only connections need are created on the first one, and no field is a closure.
 */
export class Pool
  implements ReplicasOwner, SleepingResponderOwner, IdleTimerOwner, SessionKeeper, SessionPool
{
  readonly #served: Served
  readonly #options: PoolOptions
  readonly #replicas: Replicas
  readonly #idle: IdleTimer | undefined
  #held: HeldConnections | undefined
  #sleepingResponder: SleepingResponder | undefined
  #draining = false
  #closing = false
  #forward: DrainOptions['forward']
  #failure: Error | undefined

  constructor(served: Served, options: PoolOptions) {
    this.#served = served
    this.#options = options
    this.#replicas = new Replicas(served, options, this)
    if (served.idleMs !== null) this.#idle = new IdleTimer(served.idleMs, this)
  }

  /** Resolves when the minimum number of instances is ready. Rejects when that fails permanently. */
  start(listsOnly = false): Promise<void> {
    if (this.#closing) return Promise.reject(this.#replicas.stoppedError())
    if (this.#failure) this.#replicas.forgetCrashes()
    this.#failure = undefined
    this.#idle?.touch()
    return this.#replicas.start(listsOnly)
  }

  /** See `Supervisor.renew`. */
  renew(): Promise<void> {
    return this.#replicas.isAwake && !this.#closing ? this.#replicas.renew() : this.start()
  }

  /** Hands the connection to the least loaded instance, or holds it until one is ready. */
  connect(socket: Socket, named?: NamedRequest): void {
    if (this.#closing) return this.#forwardOrRefuse(socket, named)
    if (this.#failure)
      return refuseConnection(socket, { message: this.#failure.message, retryAfterSeconds: 30 }, named)
    const { placement, answersAsleep = false } = this.#served
    if (!this.#replicas.isAwake && answersAsleep && placement === 'dedicated') {
      this.#sleepingResponder ??= new SleepingResponder(this.#served, this.#options, this)
      return this.#sleepingResponder.connect(socket, named)
    }
    this.#idle?.touch()
    const instance = this.instances.pick()
    if (instance) return instance.handOver(socket, named, () => this.connect(socket, named))
    if (this.#draining) return this.#forwardOrRefuse(socket, named)
    this.#held ??= new HeldConnections(this.#options.limits.hold)
    this.#held.add({ socket, named })
    if (!this.#replicas.isAwake) this.#wake({ listsOnly: answersAsleep })
  }

  shareSocket(socket: ShareableSocket): void {
    if (!this.#closing) this.#replicas.shareSocket(socket)
  }

  /** Lets open and held connections finish, up to the limit, then stops all instances. Holds no further connections. */
  async drain(options?: DrainOptions): Promise<void> {
    this.#draining = true
    this.#forward = options?.forward
    if (!this.#forward && this.#held && this.#held.size > 0) await this.#held.emptied()
    await this.#close(this.#options.limits.drainMs, options)
  }

  keepSessions(): Promise<EarlierVersion['instances']> {
    return keepSessions(this.instances.ready)
  }

  /** Applies to running and future instances. */
  revoke(issuer: string, tokens: RevokedTokens): void {
    const { auth } = this.#served
    if (auth?.issuer !== issuer) return
    addRevoked(auth.revoked, tokens)
    this.instances.notifyRevoked(tokens)
  }

  get instances(): InstanceSet {
    return this.#replicas.instances
  }

  get serverName(): string {
    return this.#served.serverName
  }

  get sessionHolders(): readonly SessionHolder[] {
    return [...this.instances.all, ...(this.#sleepingResponder?.instances.all ?? [])]
  }

  /** Stops all instances immediately. */
  remove(): Promise<void> {
    return this.#close(0)
  }

  async holdLog(instanceId: string): Promise<() => void> {
    const instance = this.instances.find(instanceId) ?? this.#sleepingResponder?.instances.find(instanceId)
    return instance ? instance.place.host.holdLog(instance.place.tenantId) : () => {}
  }

  report(): ServedReport {
    return this.#replicas.listsOnly ? { instances: [] } : this.instances.report()
  }

  /** Ids of all instances that may have written a log line since the given time, including ones that `report` omits. */
  writers(since: number): string[] {
    // User code may write at any time. All other lines are about requests.
    const own =
      this.#served.placement === 'dedicated' ? this.instances.ids : this.instances.idsActiveSince(since)
    return [...own, ...(this.#sleepingResponder?.instances.idsActiveSince(since) ?? [])]
  }

  onReady(): void {
    for (const { socket, named } of this.#held?.takeAll() ?? []) this.connect(socket, named)
  }

  onActivity(): void {
    this.#idle?.touch()
  }

  onGiveUp(error: Error, isReported: boolean): void {
    this.#failure = error
    this.#idle?.stop()
    this.#held?.refuseAll({ message: error.message, retryAfterSeconds: 30 })
    if (!isReported) this.#options.onFailed(this.#served.id, error)
  }

  onNeeded(): void {
    if (!this.#replicas.isAwake && !this.#closing) this.#wake({ listsOnly: false })
  }

  onUnanswered(socket: Socket, named: NamedRequest | undefined): void {
    this.onNeeded()
    this.connect(socket, named)
  }

  isBusy(now: number): boolean {
    return this.#replicas.isStarting || (this.#held?.size ?? 0) > 0 || this.instances.isBusy(now)
  }

  onIdle(): void {
    if (!this.#replicas.listsOnly)
      this.#log(`asleep after ${this.#served.idleMs! / 1000} s without a connection or a request`)
    this.#replicas.sleep()
  }

  #wake({ listsOnly }: { listsOnly: boolean }): void {
    if (!listsOnly) this.#log(`woken by a ${this.#served.answersAsleep ? 'request' : 'connection'}`)
    this.start(listsOnly).catch(async error => {
      // `onFailed` may close the address. The request that woke the server gets its answer first.
      await this.#sleepingResponder?.relayed()
      if (!this.#closing) this.#options.onFailed(this.#served.id, error)
    })
  }

  async #close(drainMs: number, options?: DrainOptions): Promise<void> {
    this.#closing = true
    this.#idle?.stop()
    for (const { socket, named } of this.#held?.takeAll() ?? []) this.#forwardOrRefuse(socket, named)
    await Promise.all([
      this.#replicas.close(drainMs, options),
      this.#sleepingResponder?.close(drainMs, options),
    ])
  }

  #forwardOrRefuse(socket: Socket, named: NamedRequest | undefined): void {
    if (this.#forward) this.#forward(socket, named)
    else refuseConnection(socket, STOPPED_RESPONSE, named)
  }

  #log(message: string): void {
    this.#options.log(this.#served.id, 'info', message)
  }
}

const STOPPED_RESPONSE = { message: 'This server was stopped or replaced.', retryAfterSeconds: 1 }
