import type { ChildProcess, SendHandle } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FromInstance, ToInstance } from '../../../shared/instances/instance-protocol.ts'
import {
  type ChannelLimits,
  DESCRIBING_LIMITS,
  OPEN_LIMITS,
  SEALED_LIMITS,
} from '../../engine/channel-limits.ts'
import { HandleSender } from '../../engine/handle-sender.ts'
import {
  isSealedKind,
  type ProcessOptions,
  type StartedProcess,
  startProcess,
} from '../../engine/process-engine.ts'
import { RawOutput } from '../../engine/raw-output.ts'
import { type TerminationDelays, terminate } from '../../engine/termination.ts'
import { endingOfNode, nodePid } from '../../engine/wrapped-child.ts'
import { heapFailure, readLogTail } from '../logs/host-logs.ts'
import type { HostEnding } from './host-ending.ts'
import { receiveMessages } from './incoming.ts'
import type { SocketHandle } from './socket-lease.ts'
import { VitalSigns } from './vital-signs.ts'

export interface HostProcessOptions extends ProcessOptions {
  /** A process that takes longer to accept a connection or to answer `retire` or `hold-log` is killed. */
  hangTimeoutMs: number
  termination?: TerminationDelays | undefined
}

/** A sealed process that leaves more messages unread is killed. Otherwise it could fill the daemon's memory. */
const MAX_UNREAD = 20_000

/** Resident memory of Node itself and of an active young generation. */
const NODE_ITSELF_MB = 128

/** One process and the IPC channel to it: start, messages, watchdog and termination. */
export class HostProcess {
  readonly child: ChildProcess
  readonly handles: HandleSender
  readonly ended: Promise<HostEnding>
  readonly isSealed: boolean
  readonly #options: HostProcessOptions
  readonly #depth: StartedProcess['depth']
  readonly #vitals: VitalSigns | undefined
  #logPath: string
  readonly #raw: RawOutput | undefined
  #requested = false
  #hasSentMessage = false
  #unread = 0
  /** True while the process describes a server. Other messages are small, so they have lower limits. */
  #isDescribing = false
  #reason: string | undefined
  #ending: HostEnding | undefined

  /** Throws when the log file cannot be opened. */
  constructor(options: HostProcessOptions, onMessage: (message: FromInstance, handle: unknown) => void) {
    this.#options = options
    this.#logPath = options.logPath
    this.isSealed = isSealedKind(options.kind)
    const { child, depth } = startProcess(options)
    this.child = child
    if (this.isSealed) this.#raw = new RawOutput(child, () => this.#logPath)
    this.#depth = depth
    this.handles = new HandleSender(this.child)
    this.ended = this.#watchEnd()
    this.#vitals = this.isSealed ? this.#watchVitals() : undefined
    receiveMessages(this.child, {
      takesHandle: messages => this.#takesHandle(messages),
      handles: this.handles,
      limits: () => this.#limits,
      onMessage: (message, handle) => {
        this.#vitals?.onMessage()
        if (message.type === 'described' || message.type === 'failed') this.#isDescribing = false
        this.#hasSentMessage = true
        onMessage(message, handle)
      },
      onViolation: what => this.kill(`was killed because it ${what}`),
    })
  }

  get logPath(): string {
    return this.#logPath
  }

  /** Process id of Node. Undefined until it runs. */
  get pid(): number | undefined {
    return this.#depth === undefined ? this.child.pid : nodePid(this.child, this.#depth)
  }

  /** Undefined while the process runs. */
  get ending(): HostEnding | undefined {
    return this.#ending
  }

  /** Moves the log file. The process's open file descriptor follows the file, so no line is lost. */
  moveLog(path: string): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(this.#logPath, path)
    this.#logPath = path
  }

  /** `then` is called once the handle has been sent or never will be. */
  send(message: ToInstance, handle?: SocketHandle, then?: () => void): void {
    if (message.type === 'describe') this.#isDescribing = true
    if (!this.child.connected) return then?.()
    if (++this.#unread > MAX_UNREAD && this.isSealed)
      this.kill(`was killed because it left ${MAX_UNREAD} messages from the daemon unread`)
    const onSent = (error: Error | null) => {
      this.#unread--
      then?.()
      if (error) this.kill() // a process without a channel is useless
    }
    if (handle) this.handles.send(message, handle as SendHandle, onSent)
    else this.child.send(message, onSent)
  }

  /** Resolves when the process has exited. */
  async stop(): Promise<void> {
    this.#requested = true
    await terminate(this.child, () => this.send({ type: 'shutdown' }), this.#options.termination)
    await this.ended
  }

  /** Counts as a crash. `reason` completes a sentence about the process. */
  kill(reason?: string): void {
    this.#reason ??= reason
    this.child.kill('SIGKILL')
  }

  /** In a sealed process, only the first message is certain to be sent before user code runs. */
  #takesHandle([first]: FromInstance[]): boolean {
    if (!this.isSealed) return true
    return !this.#hasSentMessage && first?.type === 'ready' && first.egress === true
  }

  get #limits(): ChannelLimits {
    if (!this.isSealed) return OPEN_LIMITS
    return this.#isDescribing ? DESCRIBING_LIMITS : SEALED_LIMITS
  }

  #watchVitals(): VitalSigns | undefined {
    const { id, hangTimeoutMs, memoryLimitMb } = this.#options
    if (this.child.pid === undefined) return undefined
    return new VitalSigns({
      pid: () => this.pid,
      id,
      hangTimeoutMs,
      // Buffers may use as much memory as the heap.
      memoryLimitBytes: (NODE_ITSELF_MB + 2 * memoryLimitMb) * 1024 * 1024,
      ping: () => this.send({ type: 'ping' }),
      onFault: reason => this.kill(reason),
    })
  }

  async #watchEnd(): Promise<HostEnding> {
    const ending = await new Promise<HostEnding>(resolve => {
      // `close` is emitted after the last message has been read, but `exit` may be emitted before.
      this.child.once('close', (code, signal) => resolve(this.#endingOf(code, signal)))
      this.child.on('error', error => {
        if (this.child.pid === undefined)
          resolve({ requested: this.#requested, code: null, signal: null, error })
      })
    })
    this.#vitals?.stop()
    this.#ending = ending
    return ending
  }

  #endingOf(exitCode: number | null, exitSignal: NodeJS.Signals | null): HostEnding {
    const { code, signal } =
      this.#depth === undefined ? { code: exitCode, signal: exitSignal } : endingOfNode(exitCode, exitSignal)
    const reason =
      heapFailure(signal, this.#raw?.tail ?? readLogTail(this.#logPath), this.#options.memoryLimitMb) ??
      this.#reason
    return { requested: this.#requested, code, signal, reason }
  }
}
