import type { ChildProcess } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Artifact } from '../../shared/artifact.ts'
import type { FromInstance, Tenant, TenantMetrics, ToInstance } from '../../shared/instance-protocol.ts'
import { type ProcessOptions, startProcess } from '../engine/process-engine.ts'
import { terminate } from '../engine/termination.ts'

/** How a host process ended. `asked`: the daemon ended it, so it is no crash. */
export interface HostEnding {
  asked: boolean
  code: number | null
  signal: NodeJS.Signals | null
  /** It could not even be started. */
  error?: Error
}

/** The instance itself said why it cannot serve: trying again with the same artifact helps nothing. */
export class RefusedArtifactError extends Error {
  override readonly name = 'RefusedArtifactError'
}

/** The process ended, or never started, before it could answer. */
export class HostEndedError extends Error {
  override readonly name = 'HostEndedError'
  readonly ending: HostEnding
  constructor(ending: HostEnding) {
    super(describeEnding(ending))
    this.ending = ending
  }
}

/** A process that leaves a connection or a question alone for so long hangs, and is killed. */
const PATIENCE_MS = 30_000

interface Handover {
  at: number
  socket: Socket
  giveBack: () => void
}

interface Answer {
  resolve(): void
  reject(error: Error): void
}

/** One host process, seen from the daemon: questions and answers over IPC, and connections handed over. */
export class Host {
  readonly id: string
  readonly startedAt = Date.now()
  /** Loaded and waiting for work; rejects with HostEndedError. */
  readonly ready: Promise<void>
  readonly ended: Promise<HostEnding>
  /** Resident memory as last reported. */
  memoryBytes = 0

  readonly #child: ChildProcess
  /** Several of one kind are answered in the order they were asked. */
  readonly #answers = new Map<string, Answer[]>()
  readonly #untaken = new Map<number, Handover>()
  readonly #watchers = new Map<string, (metrics: TenantMetrics) => void>()
  #lastSeq = 0
  #takeTimer: NodeJS.Timeout | undefined
  #logPath: string
  #asked = false
  #unreachable = false
  #ending: HostEnding | undefined

  constructor(options: ProcessOptions) {
    this.id = options.id
    this.#logPath = options.logPath
    this.#child = startProcess(options)
    this.ended = this.#watchEnd()
    this.ready = this.#answerTo('ready', '')
    this.ready.catch(() => {}) // whoever needs the host awaits `ready` and meets the error there
    this.#child.on('message', message => this.#receive(message as FromInstance))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get logPath(): string {
    return this.#logPath
  }

  /** False from the first sign of its end, which comes before `ended`. */
  get isReachable(): boolean {
    return this.#child.connected && !this.#unreachable
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

  /**
   * Sends an accepted, never read connection. The process takes it, or `giveBack` is called with the connection still
   * untouched. Node frees a sent handle itself only when the receiver's acknowledgement arrives, and leaves it open for
   * ever when the receiver dies before; hence `keepOpen` and an acknowledgement of our own
   * (https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback).
   */
  handOver(tenantId: string, socket: Socket, head: Buffer | undefined, giveBack: () => void): void {
    if (!this.isReachable) return giveBack()
    const seq = ++this.#lastSeq
    this.#untaken.set(seq, { at: Date.now(), socket, giveBack })
    this.#takeTimer ??= this.#checkTakenIn(PATIENCE_MS)
    // Node would otherwise keep a list of each server's sockets in each child and listeners on both.
    ;(socket as { server?: unknown }).server = undefined
    const message: ToInstance = { type: 'connection', tenantId, seq, head: head?.toString('base64') }
    this.#child.send(message, socket, { keepOpen: true }, error => {
      if (!error) return
      this.#unreachable = true
      this.#giveBack(seq)
    })
  }

  watchMetrics(tenantId: string, watcher: (metrics: TenantMetrics) => void): void {
    this.#watchers.set(tenantId, watcher)
  }

  unwatchMetrics(tenantId: string): void {
    this.#watchers.delete(tenantId)
  }

  /** Resolves when the tenant's last connection has ended, or the process. */
  async drain(tenantId: string): Promise<void> {
    await this.#tell({ type: 'drain', tenantId }, 'drained')
  }

  /** Resolves when the tenant is forgotten, or the process has ended. */
  async retire(tenantId: string): Promise<void> {
    const timer = setTimeout(() => this.kill(), PATIENCE_MS)
    await this.#tell({ type: 'retire', tenantId }, 'retired')
    clearTimeout(timer)
  }

  /** Resolves when the process writes no more to the tenant's log, with the function that lets it go on. */
  async holdLog(tenantId: string): Promise<() => void> {
    await this.#tell({ type: 'hold-log', tenantId }, 'log-held')
    return () => this.#send({ type: 'resume-log', tenantId })
  }

  /** Ends the process for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#asked = true
    await terminate(this.#child, () => this.#send({ type: 'shutdown' }))
    await this.ended
  }

  /** For a process that no longer answers: its end counts as a crash. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #tell(
    message: Extract<ToInstance, { tenantId: string }>,
    answer: FromInstance['type'],
  ): Promise<void> {
    if (this.#ending) return
    const answered = this.#answerTo(answer, message.tenantId)
    this.#send(message)
    await answered.catch(() => {}) // an ended process has drained, forgotten and stopped writing
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

  #send(message: ToInstance): void {
    if (!this.#child.connected) return
    this.#child.send(message, error => {
      if (error) this.#child.kill('SIGKILL') // a process that cannot be spoken to is of no use to anybody
    })
  }

  #receive(message: FromInstance): void {
    switch (message.type) {
      case 'took':
        return this.#markTaken(message.seq)
      case 'metrics':
        this.memoryBytes = message.memoryBytes
        for (const metrics of message.tenants) this.#watchers.get(metrics.tenantId)?.(metrics)
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

  /** Handles arrive in order: one that was skipped got lost, as happens when the process is out of descriptors. */
  #markTaken(seq: number): void {
    for (const [untaken, { socket }] of this.#untaken) {
      if (untaken > seq) return
      if (untaken < seq) this.#giveBack(untaken)
      else {
        this.#untaken.delete(seq)
        socket.destroy()
      }
    }
  }

  /** One timer for all hand-overs, set while there are any. */
  #checkTakenIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#takeTimer = undefined
      const [oldest] = this.#untaken.values()
      if (!oldest) return
      const leftMs = oldest.at + PATIENCE_MS - Date.now()
      if (leftMs <= 0) this.kill()
      else this.#takeTimer = this.#checkTakenIn(leftMs)
    }, delayMs).unref()
  }

  #giveBack(seq: number): void {
    const handover = this.#untaken.get(seq)
    this.#untaken.delete(seq)
    handover?.giveBack()
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
    this.#unreachable = true
    clearTimeout(this.#takeTimer)
    for (const { reject } of [...this.#answers.values()].flat()) reject(new HostEndedError(ending))
    this.#answers.clear()
    for (const seq of [...this.#untaken.keys()]) this.#giveBack(seq)
    return ending
  }
}

/** For example `crashed with exit code 1`, `was killed by SIGKILL`, `could not be started: spawn EAGAIN`. */
export function describeEnding({ asked, code, signal, error }: HostEnding): string {
  if (error) return `could not be started: ${error.message}`
  if (asked) return 'was stopped'
  if (signal) return `was killed by ${signal}`
  return code === 0 ? 'ended by itself' : `crashed with exit code ${code}`
}
