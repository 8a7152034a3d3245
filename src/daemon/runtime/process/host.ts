import type { Artifact, DescribedServer } from '../../../shared/definitions/artifact.ts'
import type { FromInstance, Tenant, ToInstance } from '../../../shared/instances/instance-protocol.ts'
import { PeerPorts } from '../sessions/peer-ports.ts'
import { PeerRequests } from '../sessions/peer-requests.ts'
import type { EgressLink } from './egress-link.ts'
import { type HandOver, HandOvers } from './hand-over.ts'
import { HostEndedError, type HostEnding, RefusedArtifactError } from './host-ending.ts'
import { HostProcess, type HostProcessOptions } from './host-process.ts'
import { PendingAnswers } from './pending-answers.ts'
import { type ShareableSocket, type SocketHandle, SocketLeases } from './socket-lease.ts'
import { StateRequests, type StateStores } from './state-requests.ts'
import type { TenantWatcher } from './tenant-watcher.ts'

/** The artifact, and the text of its bundle if it has one. */
export interface ServedCode {
  artifact: Artifact
  bundle?: string | undefined
}

/** See `drain` of `ToInstance`. */
export type DrainNotice = Omit<Extract<ToInstance, { type: 'drain' }>, 'type' | 'tenantId'>

/** A message to one tenant that expects no answer. */
export type TenantNotice = Extract<
  ToInstance,
  { type: 'announced' | 'claimed' | 'earlier' | 'drain' | 'shed' | 'revoked' | 'woken' }
>

export interface Draining {
  /** Resolves when the tenant no longer answers requests that belong to the next release. */
  begun: Promise<void>
  ended: Promise<void>
}

export interface HostOptions extends HostProcessOptions {
  /** Shared by all processes, so that their instances can reach each other. */
  peerPorts?: PeerPorts
  /** Without it, a process with its own network namespace has no network. */
  egress?: Pick<EgressLink, 'opened' | 'assigned' | 'ended'> | undefined
  /** Without it, handlers have no store. */
  stores?: StateStores | undefined
}

type MessageOf<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

/** Maximum number of peer ports. Each tenant needs one, and a shared process has thousands of tenants. */
const MAX_PORTS_SHARED = 10_000
const MAX_PORTS_ALONE = 16

/** The daemon's view of an instance process: requests about its tenants, and connections handed over. */
export class Host {
  readonly id: string
  /** Resolves when the process is loaded and waits for work. Rejects with HostEndedError. */
  readonly ready: Promise<unknown>
  readonly ended: Promise<HostEnding>
  /** Resident memory as last reported. */
  memoryBytes = 0
  /** Event-loop utilization as last reported, 0 to 1. */
  utilization = 0

  readonly #options: HostOptions
  readonly #process: HostProcess
  readonly #handOvers: HandOvers
  readonly #answers = new PendingAnswers()
  readonly #leases: SocketLeases
  readonly #peers: PeerRequests
  readonly #states: StateRequests
  readonly #watchers = new Map<string, TenantWatcher>()

  /** Throws when the log file cannot be opened. */
  constructor(options: HostOptions) {
    this.id = options.id
    this.#options = options
    this.#process = new HostProcess(options, (message, handle) => this.#receive(message, handle))
    const { child, handles } = this.#process
    this.#handOvers = new HandOvers({ ...options, child, handles, onHanging: () => this.#killHanging() })
    this.#leases = new SocketLeases((message, handle) => this.#process.send(message, handle))
    this.#peers = new PeerRequests({
      ports: options.peerPorts ?? new PeerPorts(),
      maxPorts: options.kind === 'open' ? MAX_PORTS_SHARED : MAX_PORTS_ALONE,
      send: (message, handle, then) => this.#process.send(message, handle, then),
    })
    this.#states = new StateRequests({
      stores: options.stores,
      send: (message, then) => this.#process.send(message, undefined, then),
      onViolation: what => this.kill(`was killed because it ${what}`),
    })
    this.ended = this.#process.ended.then(ending => this.#close(ending))
    this.ready = this.#answerTo('ready', '')
    this.ready.catch(() => {}) // callers that need the host await `ready`
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get logPath(): string {
    return this.#process.logPath
  }

  get isReachable(): boolean {
    return this.#handOvers.isOpen
  }

  moveLog(path: string): void {
    this.#process.moveLog(path)
  }

  /** Rejects with RefusedArtifactError or HostEndedError, or when the tenant is retired before it serves. */
  async serve(tenant: Tenant, code: ServedCode, instanceId: string): Promise<void> {
    await this.ready
    const answer = this.#answerTo('serving', tenant.id)
    this.#options.egress?.assigned(this.id, tenant)
    this.#peers.address = Number(new URL(tenant.url).port)
    this.#states.serve(tenant)
    this.#process.send({ type: 'serve', tenant, ...code, instanceId })
    await answer
  }

  /** Loads a custom server and returns what it defines. Rejects with RefusedArtifactError or HostEndedError. */
  async describe(tenant: Tenant, code: ServedCode): Promise<DescribedServer> {
    await this.ready
    const answer = this.#answerTo('described', tenant.id)
    this.#options.egress?.assigned(this.id, tenant)
    this.#process.send({ type: 'describe', tenant, ...code })
    return (await answer).described
  }

  /** Loads and compiles what a first call needs. Only worthwhile in a process that is not needed yet. */
  warmUp(): void {
    this.#process.send({ type: 'warm-up' })
  }

  handOver(handOver: HandOver): void {
    this.#handOvers.send(handOver)
  }

  /** Lets the tenant accept connections from the socket directly during a burst. */
  lease(tenantId: string, socket: ShareableSocket): void {
    // User code in a sealed process could return a different handle.
    if (this.isReachable && !this.#process.isSealed) this.#leases.start(tenantId, socket)
  }

  endLease(tenantId: string): void {
    this.#leases.end(tenantId)
  }

  /** Replaces an earlier watcher of the same tenant. */
  watch(tenantId: string, watcher: TenantWatcher): void {
    this.#watchers.set(tenantId, watcher)
  }

  unwatch(tenantId: string, watcher: TenantWatcher): void {
    if (this.#watchers.get(tenantId) === watcher) this.#watchers.delete(tenantId)
  }

  /** The drain ends when the tenant's last connection and kept session have ended, or when the process exits. */
  drain(tenantId: string, notice: DrainNotice = {}): Draining {
    // A rejection means that the process has exited or the tenant was retired. Both count as drained.
    const begun = this.#answerTo('draining', tenantId).then(ignore, ignore)
    const ended = this.#ask({ type: 'drain', tenantId, ...notice }, 'drained', Number.POSITIVE_INFINITY)
    return { begun, ended }
  }

  /**
   * Sends a message and waits for its answer, without a time limit. Rejects when the process exits or the tenant is retired.
   */
  query<Type extends FromInstance['type']>(
    message: Extract<ToInstance, { tenantId: string }>,
    type: Type,
  ): Promise<MessageOf<Type>> {
    const answer = this.#answerTo(type, message.tenantId)
    this.#process.send(message)
    return answer
  }

  /** Resolves when the process has dropped the tenant or has exited. */
  async retire(tenantId: string): Promise<void> {
    await this.#ask({ type: 'retire', tenantId }, 'retired')
  }

  /** Resolves when the process has stopped writing to the tenant's log. Returns the function that resumes writing. */
  async holdLog(tenantId: string): Promise<() => void> {
    await this.#ask({ type: 'hold-log', tenantId }, 'log-held')
    return () => this.#process.send({ type: 'resume-log', tenantId })
  }

  notify(notice: TenantNotice): void {
    this.#process.send(notice)
  }

  /** Resolves when the process has exited. */
  async stop(): Promise<void> {
    await this.#process.stop()
    await this.ended
  }

  /** Counts as a crash. `reason` completes a sentence about the process. */
  kill(reason?: string): void {
    this.#process.kill(reason)
  }

  #killHanging(): void {
    this.kill(`was killed because it accepted no connection for ${this.#options.hangTimeoutMs / 1000} s`)
  }

  async #ask(
    message: Extract<ToInstance, { tenantId: string }>,
    answer: FromInstance['type'],
    hangTimeoutMs = this.#options.hangTimeoutMs,
  ): Promise<void> {
    if (this.#process.ending) return
    const timer = Number.isFinite(hangTimeoutMs) ? setTimeout(() => this.kill(), hangTimeoutMs) : undefined
    const answered = this.#answerTo(answer, message.tenantId)
    this.#process.send(message)
    await answered.catch(() => {}) // a process that has exited no longer drains, serves or writes
    clearTimeout(timer)
  }

  #answerTo<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<MessageOf<Type>> {
    const { ending } = this.#process
    if (ending) return Promise.reject(new HostEndedError(ending))
    return this.#answers.expect(type, tenantId)
  }

  #receive(message: FromInstance, handle: unknown): void {
    switch (message.type) {
      case 'alive':
        return
      case 'took':
        return this.#handOvers.markTaken(message.seq)
      case 'borrowed':
        return this.#leases.onAccepted(message.leaseId, handle as SocketHandle | undefined)
      case 'accepted':
        return this.#leases.renew(message.leaseId, message.count)
      case 'restarting':
        return this.#watchers.get(message.tenantId)?.onRestarting(message.how)
      case 'announce':
        return this.#watchers.get(message.tenantId)?.onAnnounced(message)
      case 'wake':
        return this.#watchers.get(message.tenantId)?.onWake()
      case 'claim':
        return this.#watchers.get(message.tenantId)?.onClaim(message)
      case 'metrics':
        this.memoryBytes = message.memoryBytes
        this.utilization = Math.min(1, message.utilization)
        for (const metrics of message.tenants) this.#watchers.get(metrics.tenantId)?.onMetrics(metrics)
        return
      case 'failed': {
        const pending =
          this.#answers.take('serving', message.tenantId) ?? this.#answers.take('described', message.tenantId)
        const error = new RefusedArtifactError(message.message, message.stack)
        return pending ? pending.reject(error) : this.#watchers.get(message.tenantId)?.onFailed(error)
      }
      case 'ready':
        this.#openEgress(handle as SocketHandle | undefined)
        return this.#answers.take('ready', '')?.resolve(message)
      case 'open-peer-port':
        return void this.#peers.openPort(message)
      case 'reach-peer':
        return void this.#peers.reach(message)
      case 'store':
        return void this.#states.run(message.tenantId, message.operations)
      case 'retired':
        return this.#onRetired(message)
    }
    this.#answers.take(message.type, message.tenantId)?.resolve(message)
  }

  #openEgress(listener: SocketHandle | undefined): void {
    if (!listener) return
    if (this.#options.egress) this.#options.egress.opened(this.id, listener)
    else listener.close()
  }

  #onRetired(message: MessageOf<'retired'>): void {
    const { tenantId } = message
    const pending = this.#answers.take('retired', tenantId)
    if (!pending) return
    this.#states.forget(tenantId)
    this.#peers.retire(message)
    this.#answers.rejectBefore(pending, tenantId, new Error('was retired before it answered'))
    pending.resolve(message)
  }

  #close(ending: HostEnding): HostEnding {
    const error = new HostEndedError(ending)
    this.#answers.rejectAll(error)
    this.#handOvers.close()
    this.#leases.endAll()
    this.#peers.close()
    for (const watcher of [...this.#watchers.values()]) watcher.onFailed(error)
    this.#options.egress?.ended(this.id)
    return ending
  }
}

function ignore(): void {}
