import { CrashHistory } from '../../shared/crash-history.ts'
import { restartDelayMs } from '../../shared/restart-backoff.ts'
import { RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { ChildStartError } from './child-start-error.ts'
import { describeProgramEnding, type ProgramEnding } from './program-process.ts'

/** A process that serves, once it is open. */
export interface Child {
  readonly isAlive: boolean
  /** Its end is wanted. */
  readonly isStopping: boolean
  readonly isBusy: boolean
  readonly ended: Promise<ProgramEnding>
  stop(): Promise<void>
}

export interface ChildSlotOptions<C extends Child> {
  /** Starts a child, tells of it by `began`, and makes the handshake. */
  open(began: (child: C) => void): Promise<C>
  /** It ended by itself; `restartMs` until it may be started anew. */
  onCrash(sentence: string, restartMs: number): void
  /** It ends again and again, before it could do anything. */
  onCrashLoop?(sentence: string): void
}

/** A place for one child: it is started when it is needed, and anew after it ended, with a pause that grows. */
export class ChildSlot<C extends Child> {
  readonly #options: ChildSlotOptions<C>
  readonly #history = new CrashHistory()
  #child: C | undefined
  /** Whose handshake is not over. */
  #starting: C | undefined
  #opening: Promise<C> | undefined
  #notBefore = 0
  #endPause: (() => void) | undefined
  #closed = false

  constructor(options: ChildSlotOptions<C>) {
    this.#options = options
  }

  /** The child as it runs. */
  get current(): C | undefined {
    return this.#child?.isAlive ? this.#child : undefined
  }

  get isBusy(): boolean {
    return this.#opening !== undefined || (this.#child?.isAlive === true && this.#child.isBusy)
  }

  /** The running child at once, else the promise of one. Rejects with ChildStartError. */
  get(): C | Promise<C> {
    if (this.#child?.isAlive) return this.#child
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Has the running child do it, or the next one as soon as it runs. Rejects with RpcError when none can be started. */
  use<T>(use: (child: C) => Promise<T>): Promise<T> {
    const child = this.get()
    return child instanceof Promise ? child.then(use, refuseUse) : use(child)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endPause?.()
    await this.#starting?.stop()
    await this.#opening?.catch(() => {}) // whoever waited for it was told
    await this.#child?.stop()
  }

  async #open(): Promise<C> {
    const pauseMs = this.#notBefore - Date.now()
    if (pauseMs > 0) await this.#pause(pauseMs)
    if (this.#closed) throw new ChildStartError('the server is being stopped')
    try {
      const child = await this.#options.open(one => {
        this.#starting = one
      })
      this.#child = child
      void this.#watch(child, Date.now())
      if (this.#closed) void child.stop()
      return child
    } catch (error) {
      this.#crashed((error as Error).message, undefined, null)
      throw error
    }
  }

  /** Nobody who closes the slot waits for its end. */
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
    this.#crashed(describeProgramEnding(ending), readyAt, ending.signal)
  }

  #crashed(sentence: string, readyAt: number | undefined, signal: string | null): void {
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
