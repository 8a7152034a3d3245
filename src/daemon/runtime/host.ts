import type { ChildProcess } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import type { Server } from 'node:net'
import { dirname } from 'node:path'
import type { Artifact, Described } from '../../shared/artifact.ts'
import type {
  Announcement,
  FromInstance,
  SessionClaim,
  Tenant,
  TenantMetrics,
  ToInstance,
} from '../../shared/instance-protocol.ts'
import { type ProcessOptions, startProcess } from '../engine/process-engine.ts'
import { type TerminationDelays, terminate } from '../engine/termination.ts'
import { Answers } from './answers.ts'
import { type HandOver, HandOvers } from './hand-over.ts'
import { HostEndedError, type HostEnding, RefusedArtifactError } from './host-ending.ts'
import { heapFailure } from './host-logs.ts'
import { hear } from './incoming.ts'
import type { LendableSocket, SocketHandle } from './loan.ts'
import { Loans } from './loans.ts'
import { VitalSigns } from './vital-signs.ts'

export interface HostOptions extends ProcessOptions {
  /** A process that leaves a connection or a question alone for so long hangs, and is killed. */
  patienceMs: number
  termination?: TerminationDelays | undefined
}

/** Resident memory of the program, and of a young generation at work. */
const NODE_ITSELF_MB = 128

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

type Told<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

/** One host process, seen from the daemon: questions and answers over IPC, and connections handed over. */
export class Host {
  readonly id: string
  /** Loaded and waiting for work; rejects with HostEndedError. */
  readonly ready: Promise<unknown>
  readonly ended: Promise<HostEnding>
  /** Resident memory as last reported. */
  memoryBytes = 0
  /** Of its event loop, 0 to 1, as last reported. */
  utilization = 0

  readonly #child: ChildProcess
  readonly #patienceMs: number
  readonly #memoryLimitMb: number
  readonly #termination: TerminationDelays | undefined
  readonly #handOvers: HandOvers
  readonly #answers = new Answers()
  readonly #loans: Loans
  readonly #watchers = new Map<string, HostWatcher>()
  #logPath: string
  readonly #isSealed: boolean
  readonly #vitals: VitalSigns | undefined
  #asked = false
  #reason: string | undefined
  #ending: HostEnding | undefined

  /** Throws when the log file cannot be opened. */
  constructor(options: HostOptions) {
    this.id = options.id
    this.#logPath = options.logPath
    this.#patienceMs = options.patienceMs
    this.#memoryLimitMb = options.memoryLimitMb
    this.#termination = options.termination
    this.#child = startProcess(options)
    this.#handOvers = new HandOvers({ ...options, child: this.#child, onHanging: () => this.#hang() })
    this.#loans = new Loans((message, handle) => this.#send(message, handle))
    this.ended = this.#watchEnd()
    this.ready = this.#answerTo('ready', '')
    this.ready.catch(() => {}) // whoever needs the host awaits `ready` and meets the error there
    this.#isSealed = options.kind === 'sealed'
    hear(this.#child, {
      takesHandles: !this.#isSealed,
      onMessage: (message, handle) => this.#receive(message, handle),
      onViolation: what => this.kill(`was killed because it ${what}`),
    })
    this.#vitals = this.#isSealed ? this.#watchVitals(options) : undefined
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get logPath(): string {
    return this.#logPath
  }

  get isReachable(): boolean {
    return this.#handOvers.isOpen
  }

  /** The open descriptor follows the file, so nothing is lost. */
  moveLog(path: string): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(this.#logPath, path)
    this.#logPath = path
  }

  /** Rejects with RefusedArtifactError or HostEndedError. */
  async serve(tenant: Tenant, code: ServedCode, instanceId: string): Promise<void> {
    await this.ready
    const answer = this.#answerTo('serving', tenant.id)
    this.#send({ type: 'serve', tenant, ...code, instanceId })
    await answer
  }

  /** Loads a custom server and tells what it defines. Rejects with RefusedArtifactError or HostEndedError. */
  async describe(tenant: Tenant, code: ServedCode): Promise<Described> {
    await this.ready
    const answer = this.#answerTo('described', tenant.id)
    this.#send({ type: 'describe', tenant, ...code })
    return (await answer).described
  }

  handOver(handOver: HandOver): void {
    this.#handOvers.send(handOver)
  }

  /** The tenant accepts from the socket by itself, as long as it is worth while. */
  lend(tenantId: string, socket: LendableSocket): void {
    // User code could hand something else back.
    if (this.isReachable && !this.#isSealed) this.#loans.begin(tenantId, socket)
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
    // Both fail only with the end of the process, which has drained then.
    const begun = this.#answerTo('draining', tenantId).then(ignore, ignore)
    const ended = this.#ask({ type: 'drain', tenantId, ...order }, 'drained', Number.POSITIVE_INFINITY)
    return { begun, ended }
  }

  /** The port where requests of its sessions are taken from now on; rejects when the process has ended. */
  async keep(tenantId: string): Promise<number> {
    const answer = this.#answerTo('kept', tenantId)
    this.#send({ type: 'keep', tenantId })
    return (await answer).port
  }

  /** Resolves when the tenant is forgotten, or the process has ended. */
  async retire(tenantId: string): Promise<void> {
    await this.#ask({ type: 'retire', tenantId }, 'retired')
  }

  /** Resolves when the process writes no more to the tenant's log, with the function that lets it go on. */
  async holdLog(tenantId: string): Promise<() => void> {
    await this.#ask({ type: 'hold-log', tenantId }, 'log-held')
    return () => this.#send({ type: 'resume-log', tenantId })
  }

  /** What it is to know of the deployment's other instances. */
  tell(
    message: Extract<
      ToInstance,
      { type: 'announced' | 'claimed' | 'earlier' | 'drain' | 'shed' | 'revoked' | 'woken' }
    >,
  ): void {
    this.#send(message)
  }

  /** Ends the process for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#asked = true
    await terminate(this.#child, () => this.#send({ type: 'shutdown' }), this.#termination)
    await this.ended
  }

  /** Its end counts as a crash. `reason`: what it did, as the rest of a sentence about it. */
  kill(reason?: string): void {
    this.#reason ??= reason
    this.#child.kill('SIGKILL')
  }

  #hang(): void {
    this.kill(`was killed because it took no connection for ${this.#patienceMs / 1000} s`)
  }

  #watchVitals({ id, patienceMs, memoryLimitMb }: HostOptions): VitalSigns | undefined {
    const { pid } = this.#child
    if (pid === undefined) return undefined
    return new VitalSigns({
      pid,
      id,
      patienceMs,
      // Buffers may have as much again as the heap.
      memoryLimitBytes: (NODE_ITSELF_MB + 2 * memoryLimitMb) * 1024 * 1024,
      ping: () => this.#send({ type: 'ping' }),
      onFault: reason => this.kill(reason),
    })
  }

  async #ask(
    message: Extract<ToInstance, { tenantId: string }>,
    answer: FromInstance['type'],
    patienceMs = this.#patienceMs,
  ): Promise<void> {
    if (this.#ending) return
    const timer = Number.isFinite(patienceMs) ? setTimeout(() => this.kill(), patienceMs) : undefined
    const answered = this.#answerTo(answer, message.tenantId)
    this.#send(message)
    await answered.catch(() => {}) // an ended process has drained, forgotten and stopped writing
    clearTimeout(timer)
  }

  #answerTo<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<Told<Type>> {
    if (this.#ending) return Promise.reject(new HostEndedError(this.#ending))
    return this.#answers.expect(type, tenantId)
  }

  #send(message: ToInstance, handle?: SocketHandle): void {
    if (!this.#child.connected) return
    this.#child.send(message, handle as Server | undefined, error => {
      if (error) this.kill() // a process that cannot be spoken to is of no use to anybody
    })
  }

  #receive(message: FromInstance, handle: unknown): void {
    this.#vitals?.heard()
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
        return this.#answers.take('ready', '')?.resolve(message)
      case 'retired':
        // What is forgotten has nothing left to drain, and the process will not say so any more.
        this.#answers.take('drained', message.tenantId)?.resolve(message)
    }
    this.#answers.take(message.type, message.tenantId)?.resolve(message)
  }

  async #watchEnd(): Promise<HostEnding> {
    const ending = await new Promise<HostEnding>(resolve => {
      // `close` comes after the last message was read, `exit` may come before.
      this.#child.once('close', (code, signal) =>
        resolve({
          asked: this.#asked,
          code,
          signal,
          reason: this.#reason ?? heapFailure(signal, this.#logPath, this.#memoryLimitMb),
        }),
      )
      this.#child.on('error', error => {
        if (this.#child.pid === undefined) resolve({ asked: this.#asked, code: null, signal: null, error })
      })
    })
    this.#vitals?.stop()
    this.#ending = ending
    this.#answers.rejectAll(new HostEndedError(ending))
    this.#handOvers.close()
    this.#loans.endAll()
    for (const watcher of [...this.#watchers.values()]) watcher.onEnded(ending)
    return ending
  }
}

function ignore(): void {}
