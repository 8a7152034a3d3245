import type { LogLevel } from '../../shared/definitions/definitions.ts'

/** Operations that a handler can use before it answers. They do nothing after the answer or after `signal` aborts. */
export interface CallContext {
  signal: AbortSignal
  log(level: LogLevel, data: unknown, logger?: string): void
  progress(progress: number, total?: number, message?: string): void
  /** `_meta["mcp-hosting/context"]` of the request: `{user_id?, session_data?}`, which templates read as `context`. */
  hostingContext: Record<string, unknown> | undefined
}

/** Additional operations for custom server code and for bridges to programs. */
export interface ClientContext extends CallContext {
  /** Aborts `signal`. Called when a handler takes too long. */
  cancel?(): void
  /** Calls the listener once when the request is cancelled, or immediately if it already was. Cheaper than `signal`. */
  onCancel(listener: () => void): void
  /** Time spent waiting for the client's answers so far, which may take as long as a person needs. */
  readonly waitedMs?: number
  /** `_meta` of the request, unchanged. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly client: ClientFacts
  /** Token of the request's `Authorization: Bearer` header. */
  readonly bearerToken: string | undefined
  /** Signed-in user. Undefined when the server is public. */
  readonly caller: Caller | undefined
  /** Legacy session of the request. Undefined in the modern era, which has none. */
  readonly session: CallerSession | undefined
  /**
   * Sends a request to the client and waits for the answer: `sampling/createMessage`, `elicitation/create`,
   * `roots/list`. Legacy era: a JSON-RPC request on the request's own stream. Modern era: the call ends with
   * `input_required`, and the client's next attempt runs the handler again, with the same questions answered
   * in the same order from `inputResponses`. Rejects with RpcError -32021 (modern) or -32600 (legacy) when
   * the client lacks the capability. `key` is the question's name in `inputRequests`, by default `question-<number>`.
   */
  ask(
    method: string,
    params: Record<string, unknown>,
    key?: string,
    /** Aborted when the answer is no longer needed. A legacy client is notified. */
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
  /** Answers to the requests of an {@link InputRequired} that this handler threw earlier, by key. */
  readonly inputResponses: Readonly<Record<string, Record<string, unknown>>> | undefined
  /** State that the handler threw with those requests. Clients cannot change it. */
  readonly requestState: unknown
  /** Sends `notifications/{tools,prompts,resources}/list_changed` to all clients that listen. */
  announce(list: 'tools' | 'prompts' | 'resources'): void
  /** Sends `notifications/resources/updated` to all subscribed clients. */
  resourceUpdated(uri: string): void
  /** Closes the request's stream. The client reconnects for the rest after `retryMs` (SEP-1699). Legacy era only. */
  closeStream(retryMs?: number): void
}

/** Verified owner of a request's token. */
export interface Caller {
  /** `<provider>|<user id at the provider>`. */
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Unix seconds. */
  readonly expiresAt: number
  /** All claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** Client information: sent with each request in the modern era, once per session in the legacy era. */
export interface ClientFacts {
  protocolVersion: string
  capabilities: Readonly<Record<string, unknown>>
  info: { name: string; version: string } | undefined
}

/** A legacy session. The same object for all its requests. */
export interface CallerSession {
  readonly id: string
  /** Aborted when the session ends. */
  readonly ended: AbortSignal
  /** True while the client holds a GET stream. */
  readonly isListening: boolean
  /** Sends a notification on the session's GET stream. */
  notify(method: string, params?: Record<string, unknown>): void
  ask(
    method: string,
    params: Record<string, unknown>,
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
}
