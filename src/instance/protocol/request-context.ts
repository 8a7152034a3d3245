import type { LogLevel } from '../../shared/definitions.ts'
import type { CallContext } from '../prepared-server.ts'
import { isObject, rpcNotification } from './json-rpc.ts'
import { isAtLeast } from './log-level.ts'

/** Takes a serialised JSON-RPC notification that belongs to a running request. */
export type NotificationSink = (message: string) => void

const HOSTING_CONTEXT = 'mcp-hosting/context'

/** One running request: what its handler may say on the way, and how it is cancelled. */
export class RequestContext implements CallContext {
  readonly hostingContext: Record<string, unknown> | undefined
  /** Where log lines and progress go; without one they are dropped, because the answer is plain JSON. */
  sink: NotificationSink | undefined
  readonly #progressToken: string | number | undefined
  readonly #minimumLevel: LogLevel | undefined
  #controller: AbortController | undefined
  #state: 'running' | 'answered' | 'cancelled' = 'running'

  /** `meta`: `params._meta` of the request; `minimumLevel` undefined: no log line is sent. */
  constructor(meta: unknown, minimumLevel: LogLevel | undefined) {
    this.#minimumLevel = minimumLevel
    if (!isObject(meta)) return
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

  /** The client asked to stop, or went away where that means the same. Does nothing after the answer. */
  cancel(): void {
    if (this.#state !== 'running') return
    this.#state = 'cancelled'
    this.#controller?.abort()
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

  #notify(method: string, params: Record<string, unknown>): void {
    if (this.#state === 'running') this.sink?.(rpcNotification(method, params))
  }
}
