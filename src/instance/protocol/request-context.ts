import type { LogLevel } from '../../shared/definitions.ts'
import {
  type Caller,
  type CallerSession,
  type ClientContext,
  type ClientFacts,
  RpcError,
} from '../prepared-server.ts'
import { bearerToken } from './conversation.ts'
import { isObject, RPC, rpcNotification } from './json-rpc.ts'
import { isAtLeast } from './log-level.ts'
import type { Run } from './run-request.ts'

/** Takes a serialised JSON-RPC message that belongs to a running request. */
export type NotificationSink = (message: string) => void

const HOSTING_CONTEXT = 'mcp-hosting/context'

/** One running request: what its handler may say on the way, and how it is cancelled. */
export class RequestContext implements ClientContext {
  readonly meta: Readonly<Record<string, unknown>>
  readonly hostingContext: Record<string, unknown> | undefined
  /** Where log lines and progress go; opened when there is one and something to say. */
  sink: NotificationSink | undefined
  /** Set as soon as there is a run; without one the request cannot but answer. */
  run: Run | undefined
  readonly #progressToken: string | number | undefined
  readonly #minimumLevel: LogLevel | undefined
  #controller: AbortController | undefined
  #cancelListeners: (() => void)[] | undefined
  #state: 'running' | 'answered' | 'cancelled' = 'running'
  #isOpened = false
  #asking = 0

  /** `meta`: `params._meta` of the request; `minimumLevel` undefined: no log line is sent. */
  constructor(meta: unknown, minimumLevel: LogLevel | undefined) {
    this.#minimumLevel = minimumLevel
    this.meta = NO_META
    if (!isObject(meta)) return
    this.meta = meta
    const { progressToken } = meta
    if (typeof progressToken === 'string' || typeof progressToken === 'number')
      this.#progressToken = progressToken
    const context = meta[HOSTING_CONTEXT]
    if (isObject(context)) this.hostingContext = context
  }

  // Made on demand: most handlers never look at it, and it is the dearest thing a request could own.
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#state === 'cancelled'
  }

  get isRunning(): boolean {
    return this.#state === 'running'
  }

  get client(): ClientFacts {
    return this.run?.conversation?.client(this.run) ?? UNKNOWN_CLIENT
  }

  get session(): CallerSession | undefined {
    return this.run?.conversation?.session(this.run)
  }

  get bearerToken(): string | undefined {
    return this.run && bearerToken(this.run.exchange.request)
  }

  get caller(): Caller | undefined {
    return this.run?.exchange.caller
  }

  get inputResponses(): Record<string, Record<string, unknown>> | undefined {
    return this.run?.conversation?.inputResponses(this.run)
  }

  get requestState(): unknown {
    return this.run?.conversation?.requestState(this.run)
  }

  /** The client asked to stop, or went away where that means the same. Does nothing after the answer. */
  cancel(): void {
    if (this.#state !== 'running') return
    this.#state = 'cancelled'
    this.#controller?.abort()
    for (const listener of this.#cancelListeners ?? []) listener()
  }

  onCancel(listener: () => void): void {
    if (this.isCancelled) return listener()
    this.#cancelListeners ??= []
    this.#cancelListeners.push(listener)
  }

  /** The answer was given: later notifications are dropped. */
  finish(): void {
    if (this.#state === 'running') this.#state = 'answered'
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#minimumLevel === undefined || !isAtLeast(level, this.#minimumLevel)) return
    this.#notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data })
  }

  progress(progress: number, total?: number, message?: string): void {
    if (this.#progressToken === undefined) return
    this.#notify('notifications/progress', {
      progressToken: this.#progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    })
  }

  async ask(
    method: string,
    params: Record<string, unknown>,
    key?: string,
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    if (!this.isRunning) throw new RpcError(RPC.invalidRequest, `${method} came after the end of its call`)
    if (!this.run?.conversation)
      throw new RpcError(RPC.invalidRequest, `${method} cannot be asked by this request`)
    this.#asking++
    try {
      return await this.run.conversation.ask(this.run, method, params, key, unwanted)
    } finally {
      this.#asking--
    }
  }

  get isAsking(): boolean {
    return this.#asking > 0
  }

  announce(list: 'tools' | 'prompts' | 'resources'): void {
    this.run?.exchange.tenant.announcements.listChanged(list)
  }

  resourceUpdated(uri: string): void {
    this.run?.exchange.tenant.announcements.resourceUpdated(uri)
  }

  closeStream(retryMs?: number): void {
    if (this.isRunning && this.run) this.run.conversation?.closeStream(this.run, retryMs)
  }

  /** The sink, made now when there is none yet; undefined when there cannot be one. */
  openSink(): NotificationSink | undefined {
    if (this.sink || this.#isOpened || !this.run) return this.sink
    this.#isOpened = true
    this.sink = this.run.conversation?.open(this.run)
    return this.sink
  }

  #notify(method: string, params: Record<string, unknown>): void {
    if (this.isRunning) this.openSink()?.(rpcNotification(method, params))
  }
}

const NO_META = Object.freeze({})
const UNKNOWN_CLIENT: ClientFacts = { protocolVersion: '', capabilities: Object.freeze({}), info: undefined }
