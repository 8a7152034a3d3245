import { CrashHistory } from '../../../shared/instances/crash-history.ts'
import { restartDelayMs } from '../../../shared/instances/restart-backoff.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { ChildStartError } from '../process/child-start-error.ts'
import { describeProgramEnding, type ProgramEnding } from '../process/program-process.ts'

/** A serving process. */
export interface Child {
  readonly isAlive: boolean
  /** True once `stop` has been called. */
  readonly isStopping: boolean
  readonly isBusy: boolean
  readonly ended: Promise<ProgramEnding>
  stop(): Promise<void>
}

export interface ChildSlotOptions<C extends Child> {
  /** Starts a child, reports it through `onStarted`, and completes its handshake. */
  open(onStarted: (child: C) => void): Promise<C>
  /** Called when the child crashes or cannot be started. `restartMs` is the delay before the next start. */
  onCrash(sentence: string, restartMs: number): void
  /** Called when the child crashes repeatedly, each time before or shortly after it is ready. */
  onCrashLoop?(sentence: string): void
}

/** Starts one child on demand. Repeated crashes delay the next start. */
export class ChildSlot<C extends Child> {
  readonly #options: ChildSlotOptions<C>
  readonly #history = new CrashHistory()
  #child: C | undefined
  /** Child that was started last. Its handshake may be in progress. */
  #starting: C | undefined
  #opening: Promise<C> | undefined
  #notBefore = 0
  #endPause: (() => void) | undefined
  #closed = false

  constructor(options: ChildSlotOptions<C>) {
    this.#options = options
  }

  /** The child, if it is running. */
  get current(): C | undefined {
    return this.#child?.isAlive ? this.#child : undefined
  }

  get isBusy(): boolean {
    return this.#opening !== undefined || (this.#child?.isAlive === true && this.#child.isBusy)
  }

  /** Returns the running child, or a promise for the next one. Rejects with ChildStartError. */
  get(): C | Promise<C> {
    if (this.#child?.isAlive) return this.#child
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Calls `use` with the running child or with the next one. Rejects with RpcError when none can be started. */
  use<T>(use: (child: C) => Promise<T>): Promise<T> {
    const child = this.get()
    return child instanceof Promise ? child.then(use, refuseUse) : use(child)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endPause?.()
    await this.#starting?.stop()
    await this.#opening?.catch(() => {}) // the callers of `get` receive the error
    await this.#child?.stop()
  }

  async #open(): Promise<C> {
    const pauseMs = this.#notBefore - Date.now()
    if (pauseMs > 0) await this.#pause(pauseMs)
    if (this.#closed) throw new ChildStartError('the server is stopping')
    try {
      const child = await this.#options.open(one => {
        this.#starting = one
      })
      this.#child = child
      void this.#watch(child, Date.now())
      if (this.#closed) void child.stop()
      return child
    } catch (error) {
      this.#reportCrash((error as Error).message, undefined, null)
      throw error
    }
  }

  /** Resolves after `ms`, or earlier when the slot closes. */
  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#endPause = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  async #watch(child: C, readyAt: number): Promise<void> {
    const ending = await child.ended
    if (this.#closed || child.isStopping) return
    this.#reportCrash(describeProgramEnding(ending), readyAt, ending.signal)
  }

  #reportCrash(sentence: string, readyAt: number | undefined, signal: string | null): void {
    const { failuresInARow, isLoop } = this.#history.add({ at: Date.now(), readyAt, signal })
    const delayMs = restartDelayMs(failuresInARow)
    this.#notBefore = Date.now() + delayMs
    if (isLoop) this.#options.onCrashLoop?.(sentence)
    this.#options.onCrash(sentence, delayMs)
  }
}

function refuseUse(error: unknown): never {
  if (!(error instanceof ChildStartError)) throw error
  throw new RpcError(RPC.internalError, `This server cannot answer: ${error.message}`)
}
