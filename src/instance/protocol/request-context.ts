import type { IncomingMessage } from 'node:http'
import type { LogLevel } from '../../shared/definitions/definitions.ts'
import type { Caller, CallerSession, ClientFacts } from '../server/client-context.ts'
import { isObject, RPC, RpcError, rpcNotification } from './json-rpc.ts'
import { isAtLeast } from './log-level.ts'
import { QuestionTime } from './question-time.ts'
import type { NotificationSink, Run, RunContext } from './run.ts'

const HOSTING_CONTEXT = 'mcp-hosting/context'

/** Context of one running request: messages that its handler may send, and cancellation. */
export class RequestContext implements RunContext {
  readonly meta: Readonly<Record<string, unknown>>
  readonly hostingContext: Record<string, unknown> | undefined
  /** Destination of log messages and progress. Opened by the first message. */
  sink: NotificationSink | undefined
  run: Run | undefined
  readonly #progressToken: string | number | undefined
  readonly #minimumLevel: LogLevel | undefined
  #controller: AbortController | undefined
  #cancelListeners: (() => void)[] | undefined
  #state: 'running' | 'answered' | 'cancelled' = 'running'
  #isOpened = false
  /** Created by the first question. */
  #questionTime: QuestionTime | undefined

  /** `meta`: `params._meta` of the request. No log messages are sent when `minimumLevel` is undefined. */
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

  // Created on demand, because few handlers use it and it is the most expensive part of a request.
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
    return this.run?.sideChannel?.client(this.run) ?? UNKNOWN_CLIENT
  }

  get session(): CallerSession | undefined {
    return this.run?.sideChannel?.session(this.run)
  }

  get bearerToken(): string | undefined {
    return this.run && bearerToken(this.run.exchange.request)
  }

  get caller(): Caller | undefined {
    return this.run?.exchange.caller
  }

  get inputResponses(): Record<string, Record<string, unknown>> | undefined {
    return this.run?.sideChannel?.inputResponses(this.run)
  }

  get requestState(): unknown {
    return this.run?.sideChannel?.requestState(this.run)
  }

  /** Cancels the request, unless it was answered: on a timeout, or when the client cancels (legacy) or disconnects (modern). */
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
    if (!this.isRunning)
      throw new RpcError(RPC.invalidRequest, `${method} was called after the request had ended`)
    if (!this.run?.sideChannel)
      throw new RpcError(RPC.invalidRequest, `${method} cannot be sent during this request`)
    this.#questionTime ??= new QuestionTime()
    this.#questionTime.open()
    try {
      return await this.run.sideChannel.ask(this.run, method, params, key, unwanted)
    } finally {
      this.#questionTime.close()
    }
  }

  get waitedMs(): number {
    return this.#questionTime?.ms ?? 0
  }

  announce(list: 'tools' | 'prompts' | 'resources'): void {
    this.run?.exchange.tenant.changeNotifier.listChanged(list)
  }

  resourceUpdated(uri: string): void {
    this.run?.exchange.tenant.changeNotifier.resourceUpdated(uri)
  }

  closeStream(retryMs?: number): void {
    if (this.isRunning && this.run) this.run.sideChannel?.closeStream(this.run, retryMs)
  }

  openSink(): NotificationSink | undefined {
    if (this.sink || this.#isOpened || !this.run) return this.sink
    this.#isOpened = true
    this.sink = this.run.sideChannel?.open(this.run)
    return this.sink
  }

  #notify(method: string, params: Record<string, unknown>): void {
    if (this.isRunning) this.openSink()?.(rpcNotification(method, params))
  }
}

const NO_META = Object.freeze({})
const UNKNOWN_CLIENT: ClientFacts = { protocolVersion: '', capabilities: Object.freeze({}), info: undefined }

const BEARER = /^bearer +([^\s,]+) *$/i

/** Token of the `Authorization` header (RFC 6750 2.1). */
function bearerToken({ headers }: IncomingMessage): string | undefined {
  return headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1]
}
