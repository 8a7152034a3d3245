import type { ChildProcess } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import type { Server } from 'node:net'
import { dirname } from 'node:path'
import type { Artifact } from '../../shared/artifact.ts'
import type { FromInstance, Tenant, TenantMetrics, ToInstance } from '../../shared/instance-protocol.ts'
import { type ProcessOptions, startProcess } from '../engine/process-engine.ts'
import { type TerminationDelays, terminate } from '../engine/termination.ts'
import { type HandOver, HandOvers } from './hand-over.ts'
import { HostEndedError, type HostEnding, RefusedArtifactError } from './host-ending.ts'
import type { LendableSocket, SocketHandle } from './loan.ts'
import { Loans } from './loans.ts'

export interface HostOptions extends ProcessOptions {
  /** A process that leaves a connection or a question alone for so long hangs, and is killed. */
  patienceMs: number
  termination?: TerminationDelays | undefined
}

/** What a tenant's instance is told of its process. */
export interface HostWatcher {
  onMetrics(metrics: TenantMetrics): void
  onEnded(ending: HostEnding): void
}

interface Answer {
  resolve(): void
  reject(error: Error): void
}

/** One host process, seen from the daemon: questions and answers over IPC, and connections handed over. */
export class Host {
  readonly id: string
  /** Loaded and waiting for work; rejects with HostEndedError. */
  readonly ready: Promise<void>
  readonly ended: Promise<HostEnding>
  /** Resident memory as last reported. */
  memoryBytes = 0

  readonly #child: ChildProcess
  readonly #patienceMs: number
  readonly #termination: TerminationDelays | undefined
  readonly #handOvers: HandOvers
  /** Several of one kind are answered in the order they were asked. */
  readonly #answers = new Map<string, Answer[]>()
  readonly #loans: Loans
  readonly #watchers = new Map<string, HostWatcher>()
  #logPath: string
  #asked = false
  #ending: HostEnding | undefined

  /** Throws when the log file cannot be opened. */
  constructor(options: HostOptions) {
    this.id = options.id
    this.#logPath = options.logPath
    this.#patienceMs = options.patienceMs
    this.#termination = options.termination
    this.#child = startProcess(options)
    this.#handOvers = new HandOvers({ ...options, child: this.#child, onHanging: () => this.kill() })
    this.#loans = new Loans((message, handle) => this.#send(message, handle))
    this.ended = this.#watchEnd()
    this.ready = this.#answerTo('ready', '')
    this.ready.catch(() => {}) // whoever needs the host awaits `ready` and meets the error there
    this.#child.on('message', (message, handle) => this.#receive(message as FromInstance, handle))
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
  async serve(tenant: Tenant, artifact: Artifact, instanceId: string): Promise<void> {
    await this.ready
    const answer = this.#answerTo('serving', tenant.id)
    this.#send({ type: 'serve', tenant, artifact, instanceId })
    await answer
  }

  handOver(handOver: HandOver): void {
    this.#handOvers.send(handOver)
  }

  /** The tenant accepts from the socket by itself, as long as it is worth while. */
  lend(tenantId: string, socket: LendableSocket): void {
    if (this.isReachable) this.#loans.begin(tenantId, socket)
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

  /** Resolves when the tenant's last connection has ended, or the process. */
  async drain(tenantId: string): Promise<void> {
    await this.#ask({ type: 'drain', tenantId }, 'drained', Number.POSITIVE_INFINITY)
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

  /** Ends the process for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#asked = true
    await terminate(this.#child, () => this.#send({ type: 'shutdown' }), this.#termination)
    await this.ended
  }

  /** For a process that no longer answers: its end counts as a crash. */
  kill(): void {
    this.#child.kill('SIGKILL')
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

  #answerTo(type: FromInstance['type'], tenantId: string): Promise<void> {
    if (this.#ending) return Promise.reject(new HostEndedError(this.#ending))
    return new Promise((resolve, reject) => {
      const key = `${type} ${tenantId}`
      const waiting = this.#answers.get(key)
      if (waiting) waiting.push({ resolve, reject })
      else this.#answers.set(key, [{ resolve, reject }])
    })
  }

  #send(message: ToInstance, handle?: SocketHandle): void {
    if (!this.#child.connected) return
    this.#child.send(message, handle as Server | undefined, error => {
      if (error) this.kill() // a process that cannot be spoken to is of no use to anybody
    })
  }

  #receive(message: FromInstance, handle: unknown): void {
    switch (message.type) {
      case 'took':
        return this.#handOvers.markTaken(message.seq)
      case 'borrowed':
        return this.#loans.arrived(message.loanId, handle as SocketHandle | undefined)
      case 'accepted':
        return this.#loans.renew(message.loanId, message.count)
      case 'metrics':
        this.memoryBytes = message.memoryBytes
        for (const metrics of message.tenants) this.#watchers.get(metrics.tenantId)?.onMetrics(metrics)
        return
      case 'failed':
        return this.#nextAnswer('serving', message.tenantId)?.reject(
          new RefusedArtifactError(message.message),
        )
      case 'ready':
        return this.#nextAnswer('ready', '')?.resolve()
      case 'retired':
        // What is forgotten has nothing left to drain, and the process will not say so any more.
        this.#nextAnswer('drained', message.tenantId)?.resolve()
    }
    this.#nextAnswer(message.type, message.tenantId)?.resolve()
  }

  #nextAnswer(type: FromInstance['type'], tenantId: string): Answer | undefined {
    const key = `${type} ${tenantId}`
    const waiting = this.#answers.get(key)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#answers.delete(key)
    return next
  }

  async #watchEnd(): Promise<HostEnding> {
    const ending = await new Promise<HostEnding>(resolve => {
      // `close` comes after the last message was read, `exit` may come before.
      this.#child.once('close', (code, signal) => resolve({ asked: this.#asked, code, signal }))
      this.#child.on('error', error => {
        if (this.#child.pid === undefined) resolve({ asked: this.#asked, code: null, signal: null, error })
      })
    })
    this.#ending = ending
    for (const { reject } of [...this.#answers.values()].flat()) reject(new HostEndedError(ending))
    this.#answers.clear()
    this.#handOvers.close()
    this.#loans.endAll()
    for (const watcher of [...this.#watchers.values()]) watcher.onEnded(ending)
    return ending
  }
}
