import type { Artifact, Described } from '../../shared/artifact.ts'
import type {
  Announcement,
  FromInstance,
  SessionClaim,
  Tenant,
  TenantMetrics,
  ToInstance,
} from '../../shared/instance-protocol.ts'
import { Answers } from './answers.ts'
import { type HandOver, HandOvers } from './hand-over.ts'
import { HostEndedError, type HostEnding, RefusedArtifactError } from './host-ending.ts'
import { type HostOptions, HostProcess } from './host-process.ts'
import type { LendableSocket, SocketHandle } from './loan.ts'
import { Loans } from './loans.ts'
import { PeerPorts } from './peer-ports.ts'
import { PeerRequests } from './peer-requests.ts'

/** What a tenant's instance is told of its process. */
export interface HostWatcher {
  onMetrics(metrics: TenantMetrics): void
  onEnded(ending: HostEnding): void
  /** The process cannot go on with the tenant. */
  onFailed(error: RefusedArtifactError): void
  /** What serves the tenant in there ended and is started anew. */
  onRestarting?(how: string): void
  onAnnounced?(announcement: Announcement): void
  onClaim?(claim: SessionClaim): void
  /** What sleeps there is needed. */
  onWake?(): void
}

/** What a process is to run: the artifact, and the text of its bundle where it has one. */
export interface ServedCode {
  artifact: Artifact
  bundle?: string | undefined
}

/** What a tenant is told that leaves; see `drain` of `ToInstance`. */
export type DrainOrder = Omit<Extract<ToInstance, { type: 'drain' }>, 'type' | 'tenantId'>

export interface Draining {
  /** It answers nothing any more that is the next release's. */
  begun: Promise<void>
  ended: Promise<void>
}

export interface ConfinedHostOptions extends HostOptions {
  /** Those of all processes, so that they reach each other. */
  peerPorts?: PeerPorts
  /**
   * Gets the listening socket in the network namespace of this process, before the process is ready. Connections to it are
   * the only way out. Without it the socket is closed, and nothing leaves the namespace.
   */
  onEgressListener?(listener: SocketHandle): void
  /** Called before code of the tenant runs in the process. */
  onAssigned?(tenant: Tenant): void
}

type Told<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

/** What a process does not say any more of a tenant that it has forgotten. */
const UNSAID: readonly FromInstance['type'][] = ['serving', 'kept', 'draining', 'drained']

/** What runs in one process, seen from the daemon: questions and answers about its tenants, and connections handed over. */
export class Host {
  readonly id: string
  /** Loaded and waiting for work; rejects with HostEndedError. */
  readonly ready: Promise<unknown>
  readonly ended: Promise<HostEnding>
  /** Resident memory as last reported. */
  memoryBytes = 0
  /** Of its event loop, 0 to 1, as last reported. */
  utilization = 0

  readonly #process: HostProcess
  readonly #patienceMs: number
  readonly #handOvers: HandOvers
  readonly #answers = new Answers()
  readonly #loans: Loans
  readonly #peers: PeerRequests
  readonly #watchers = new Map<string, HostWatcher>()
  readonly #onEgressListener: ConfinedHostOptions['onEgressListener']
  readonly #onAssigned: ConfinedHostOptions['onAssigned']

  /** Throws when the log file cannot be opened. */
  constructor(options: ConfinedHostOptions) {
    this.id = options.id
    this.#patienceMs = options.patienceMs
    this.#onEgressListener = options.onEgressListener
    this.#onAssigned = options.onAssigned
    this.#process = new HostProcess(options, (message, handle) => this.#receive(message, handle))
    const { child, handles } = this.#process
    this.#handOvers = new HandOvers({ ...options, child, handles, onHanging: () => this.#hang() })
    this.#loans = new Loans((message, handle) => this.#process.send(message, handle))
    this.#peers = new PeerRequests({
      ports: options.peerPorts ?? new PeerPorts(),
      send: (message, handle, then) => this.#process.send(message, handle, then),
    })
    this.ended = this.#process.ended.then(ending => this.#close(ending))
    this.ready = this.#answerTo('ready', '')
    this.ready.catch(() => {}) // whoever needs the host awaits `ready` and meets the error there
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

  /** Rejects with RefusedArtifactError or HostEndedError, or because the tenant was retired meanwhile. */
  async serve(tenant: Tenant, code: ServedCode, instanceId: string): Promise<void> {
    await this.ready
    const answer = this.#answerTo('serving', tenant.id)
    this.#onAssigned?.(tenant)
    this.#peers.address = Number(new URL(tenant.url).port)
    this.#process.send({ type: 'serve', tenant, ...code, instanceId })
    await answer
  }

  /** Loads a custom server and tells what it defines. Rejects with RefusedArtifactError or HostEndedError. */
  async describe(tenant: Tenant, code: ServedCode): Promise<Described> {
    await this.ready
    const answer = this.#answerTo('described', tenant.id)
    this.#onAssigned?.(tenant)
    this.#process.send({ type: 'describe', tenant, ...code })
    return (await answer).described
  }

  handOver(handOver: HandOver): void {
    this.#handOvers.send(handOver)
  }

  /** The tenant accepts from the socket by itself, as long as it is worth while. */
  lend(tenantId: string, socket: LendableSocket): void {
    // User code could hand something else back.
    if (this.isReachable && !this.#process.isSealed) this.#loans.begin(tenantId, socket)
  }

  /** From now on the socket's owner accepts. */
  endLoan(tenantId: string): void {
    this.#loans.end(tenantId)
  }

  /** Takes the place of an earlier watcher of the same tenant. */
  watch(tenantId: string, watcher: HostWatcher): void {
    this.#watchers.set(tenantId, watcher)
  }

  unwatch(tenantId: string, watcher: HostWatcher): void {
    if (this.#watchers.get(tenantId) === watcher) this.#watchers.delete(tenantId)
  }

  /** It ends with the tenant's last connection and the last session that stays, or with the process. */
  drain(tenantId: string, order: DrainOrder = {}): Draining {
    // Both fail only with the end of the process, or of the tenant in it, which has drained then.
    const begun = this.#answerTo('draining', tenantId).then(ignore, ignore)
    const ended = this.#ask({ type: 'drain', tenantId, ...order }, 'drained', Number.POSITIVE_INFINITY)
    return { begun, ended }
  }

  /** The port where requests of its sessions are taken from now on; rejects when the process or the tenant has ended. */
  async keep(tenantId: string): Promise<number> {
    const answer = this.#answerTo('kept', tenantId)
    this.#process.send({ type: 'keep', tenantId })
    return (await answer).port
  }

  /** Resolves when the tenant is forgotten, or the process has ended. */
  async retire(tenantId: string): Promise<void> {
    await this.#ask({ type: 'retire', tenantId }, 'retired')
  }

  /** Resolves when the process writes no more to the tenant's log, with the function that lets it go on. */
  async holdLog(tenantId: string): Promise<() => void> {
    await this.#ask({ type: 'hold-log', tenantId }, 'log-held')
    return () => this.#process.send({ type: 'resume-log', tenantId })
  }

  /** What it is to know of the deployment's other instances. */
  tell(
    message: Extract<
      ToInstance,
      { type: 'announced' | 'claimed' | 'earlier' | 'drain' | 'shed' | 'revoked' | 'woken' }
    >,
  ): void {
    this.#process.send(message)
  }

  /** Ends the process for good; resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#process.stop()
    await this.ended
  }

  /** Its end counts as a crash. `reason`: what it did, as the rest of a sentence about it. */
  kill(reason?: string): void {
    this.#process.kill(reason)
  }

  #hang(): void {
    this.kill(`was killed because it took no connection for ${this.#patienceMs / 1000} s`)
  }

  async #ask(
    message: Extract<ToInstance, { tenantId: string }>,
    answer: FromInstance['type'],
    patienceMs = this.#patienceMs,
  ): Promise<void> {
    if (this.#process.ending) return
    const timer = Number.isFinite(patienceMs) ? setTimeout(() => this.kill(), patienceMs) : undefined
    const answered = this.#answerTo(answer, message.tenantId)
    this.#process.send(message)
    await answered.catch(() => {}) // what has ended has drained, forgotten and stopped writing
    clearTimeout(timer)
  }

  #answerTo<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<Told<Type>> {
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
        return this.#loans.arrived(message.loanId, handle as SocketHandle | undefined)
      case 'accepted':
        return this.#loans.renew(message.loanId, message.count)
      case 'restarting':
        return this.#watchers.get(message.tenantId)?.onRestarting?.(message.how)
      case 'announce':
        return this.#watchers.get(message.tenantId)?.onAnnounced?.(message)
      case 'wake':
        return this.#watchers.get(message.tenantId)?.onWake?.()
      case 'claim':
        return this.#watchers.get(message.tenantId)?.onClaim?.(message)
      case 'metrics':
        this.memoryBytes = message.memoryBytes
        this.utilization = Math.min(1, message.utilization)
        for (const metrics of message.tenants) this.#watchers.get(metrics.tenantId)?.onMetrics(metrics)
        return
      case 'failed': {
        const asked =
          this.#answers.take('serving', message.tenantId) ?? this.#answers.take('described', message.tenantId)
        const error = new RefusedArtifactError(message.message, message.stack)
        return asked ? asked.reject(error) : this.#watchers.get(message.tenantId)?.onFailed(error)
      }
      case 'ready':
        this.#takeEgressListener(handle as SocketHandle | undefined)
        return this.#answers.take('ready', '')?.resolve(message)
      case 'open-peer-port':
        return void this.#peers.openPort(message)
      case 'reach-peer':
        return void this.#peers.reach(message)
      case 'retired':
        return this.#forgotten(message)
    }
    this.#answers.take(message.type, message.tenantId)?.resolve(message)
  }

  #takeEgressListener(listener: SocketHandle | undefined): void {
    if (!listener) return
    if (this.#onEgressListener) this.#onEgressListener(listener)
    else listener.close()
  }

  /** It has nothing left to drain, and what it had not begun to serve it never will; the process says neither any more. */
  #forgotten(message: Told<'retired'>): void {
    const { tenantId } = message
    const asked = this.#answers.take('retired', tenantId)
    if (!asked) return
    this.#answers.rejectBefore(asked, UNSAID, tenantId, new Error('was retired before'))
    asked.resolve(message)
  }

  #close(ending: HostEnding): HostEnding {
    this.#answers.rejectAll(new HostEndedError(ending))
    this.#handOvers.close()
    this.#loans.endAll()
    this.#peers.close()
    for (const watcher of [...this.#watchers.values()]) watcher.onEnded(ending)
    return ending
  }
}

function ignore(): void {}
