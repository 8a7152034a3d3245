import type { ChildProcess, SendHandle } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FromInstance, ToInstance } from '../../shared/instance-protocol.ts'
import {
  type ChannelLimits,
  DESCRIBING_LIMITS,
  OPEN_LIMITS,
  SEALED_LIMITS,
} from '../engine/channel-limits.ts'
import { HandleSender } from '../engine/handle-sender.ts'
import {
  isSealedKind,
  type ProcessOptions,
  type StartedProcess,
  startProcess,
} from '../engine/process-engine.ts'
import { RawOutput } from '../engine/raw-output.ts'
import { type TerminationDelays, terminate } from '../engine/termination.ts'
import { endingOfNode, nodePid } from '../engine/wrapped-child.ts'
import type { HostEnding } from './host-ending.ts'
import { heapFailure, readLogTail } from './host-logs.ts'
import { hear } from './incoming.ts'
import type { SocketHandle } from './loan.ts'
import { VitalSigns } from './vital-signs.ts'

export interface HostOptions extends ProcessOptions {
  /** A process that leaves a connection or a question alone for so long hangs, and is killed. */
  patienceMs: number
  termination?: TerminationDelays | undefined
}

/** Resident memory of the program, and of a young generation at work. */
const NODE_ITSELF_MB = 128

/** One process and the channel to it: started, spoken to, watched from outside, and ended. */
export class HostProcess {
  readonly child: ChildProcess
  readonly handles: HandleSender
  readonly ended: Promise<HostEnding>
  readonly isSealed: boolean
  readonly #options: HostOptions
  readonly #depth: StartedProcess['depth']
  readonly #vitals: VitalSigns | undefined
  #logPath: string
  readonly #raw: RawOutput | undefined
  #asked = false
  #hasSpoken = false
  /** It was asked what its server defines, which is the only large answer. */
  #isDescribing = false
  #reason: string | undefined
  #ending: HostEnding | undefined

  /** Throws when the log file cannot be opened. */
  constructor(options: HostOptions, onMessage: (message: FromInstance, handle: unknown) => void) {
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
    hear(this.child, {
      takesHandle: messages => this.#takesHandle(messages),
      handles: this.handles,
      limits: () => this.#limits,
      onMessage: (message, handle) => {
        this.#vitals?.heard()
        if (message.type === 'described' || message.type === 'failed') this.#isDescribing = false
        this.#hasSpoken = true
        onMessage(message, handle)
      },
      onViolation: what => this.kill(`was killed because it ${what}`),
    })
  }

  get logPath(): string {
    return this.#logPath
  }

  /** Process id of Node. Undefined when it does not run, or not yet. */
  get pid(): number | undefined {
    return this.#depth === undefined ? this.child.pid : nodePid(this.child, this.#depth)
  }

  /** Undefined while it runs. */
  get ending(): HostEnding | undefined {
    return this.#ending
  }

  /** The open descriptor follows the file, so nothing is lost. */
  moveLog(path: string): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(this.#logPath, path)
    this.#logPath = path
  }

  /** `then`: the handle was sent, or never will be. */
  send(message: ToInstance, handle?: SocketHandle, then?: () => void): void {
    if (message.type === 'describe') this.#isDescribing = true
    if (!this.child.connected) return then?.()
    const onSent = (error: Error | null) => {
      then?.()
      if (error) this.kill() // a process that cannot be spoken to is of no use to anybody
    }
    if (handle) this.handles.send(message, handle as SendHandle, onSent)
    else this.child.send(message, onSent)
  }

  /** Ends it for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#asked = true
    await terminate(this.child, () => this.send({ type: 'shutdown' }), this.#options.termination)
    await this.ended
  }

  /** Its end counts as a crash. `reason`: what it did, as the rest of a sentence about it. */
  kill(reason?: string): void {
    this.#reason ??= reason
    this.child.kill('SIGKILL')
  }

  /** Only the first message of a sealed process is certain to be sent before user code runs. */
  #takesHandle([first]: FromInstance[]): boolean {
    if (!this.isSealed) return true
    return !this.#hasSpoken && first?.type === 'ready' && first.egress === true
  }

  get #limits(): ChannelLimits {
    if (!this.isSealed) return OPEN_LIMITS
    return this.#isDescribing ? DESCRIBING_LIMITS : SEALED_LIMITS
  }

  #watchVitals(): VitalSigns | undefined {
    const { id, patienceMs, memoryLimitMb } = this.#options
    if (this.child.pid === undefined) return undefined
    return new VitalSigns({
      pid: () => this.pid,
      id,
      patienceMs,
      // Buffers may have as much again as the heap.
      memoryLimitBytes: (NODE_ITSELF_MB + 2 * memoryLimitMb) * 1024 * 1024,
      ping: () => this.send({ type: 'ping' }),
      onFault: reason => this.kill(reason),
    })
  }

  async #watchEnd(): Promise<HostEnding> {
    const ending = await new Promise<HostEnding>(resolve => {
      // `close` comes after the last message was read, `exit` may come before.
      this.child.once('close', (code, signal) => resolve(this.#endingOf(code, signal)))
      this.child.on('error', error => {
        if (this.child.pid === undefined) resolve({ asked: this.#asked, code: null, signal: null, error })
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
    return { asked: this.#asked, code, signal, reason }
  }
}
