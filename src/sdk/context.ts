import type { Content, Message } from './content.ts'
import type { ArgumentsOf, Schema } from './schema.ts'
import type { ServerStore } from './store/store.ts'

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** Context of a handler. Log messages and progress no longer reach the client after the handler has returned. */
export interface Context {
  /** Aborted when the client cancels the call, or disconnects if the protocol treats that as cancelling. */
  readonly signal: AbortSignal
  /** Declared environment variables, with the deployment's values or their defaults. */
  readonly env: Readonly<Record<string, string>>
  readonly client: {
    readonly protocolVersion: string
    readonly capabilities: Readonly<Record<string, unknown>>
    readonly info: { readonly name: string; readonly version: string } | undefined
  }
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>
  /**
   * Unverified access token of the caller: from `_meta.authorization.token`, otherwise from the `Authorization: Bearer`
   * header.
   */
  readonly token: string | undefined
  /**
   * User of a protected deployment (`deploy.auth`), from the verified token in the `Authorization` header. `_meta` is ignored.
   * Undefined in other deployments.
   */
  readonly auth:
    | {
        /** `<provider>|<user id at the provider>`. */
        readonly subject: string
        readonly clientId: string
        readonly scopes: readonly string[]
        /** Unix seconds. */
        readonly expiresAt: number
        /** All claims of the token. */
        readonly claims: Readonly<Record<string, unknown>>
      }
    | undefined
  /** Undefined in protocol version 2026-07-28 and later, which have no sessions. */
  readonly sessionId: string | undefined
  /**
   * Durable key-value store of the server in this environment. Unlike module variables, it outlasts sleep, restarts and releases.
   * `store.user` belongs to the signed-in user.
   */
  readonly store: ServerStore

  /** Sends a log message to the client, and writes it to the deployment's log. */
  log(level: LogLevel, data: unknown, logger?: string): void
  debug(data: unknown, logger?: string): void
  info(data: unknown, logger?: string): void
  notice(data: unknown, logger?: string): void
  warning(data: unknown, logger?: string): void
  error(data: unknown, logger?: string): void
  /** Reports progress if the client requested it. `progress` must increase with each call. */
  progress(progress: number, total?: number, message?: string): void

  /**
   * Requests a completion from the client's model. Rejects when the client does not support sampling. The following applies to
   * this method and the next three. A client of protocol version 2026-07-28 sends the answer in a new request. The handler then
   * runs again from the start and finds its questions answered. It must therefore ask them in the same order, and side effects
   * before them must be safe to repeat.
   */
  sample(prompt: string | SampleRequest): Promise<SampleResult>
  /** Shows the user a form. `schema`: a flat object of strings, numbers, booleans and enums. */
  elicit<const S extends Schema>(request: ElicitRequest<S>): Promise<ElicitResult<ArgumentsOf<S>>>
  /** Sends the user to a web page, for data that must not pass through the client, such as passwords and payment details. */
  elicitUrl(request: ElicitUrlRequest): Promise<ElicitResult<undefined>>
  listRoots(options?: { key?: string }): Promise<{ uri: string; name?: string }[]>

  /** Responses to the requests of an `inputRequired` that this handler returned before, by key. */
  readonly inputResponses: Readonly<Record<string, Record<string, unknown>>> | undefined
  /** The `state` of that `inputRequired`. */
  readonly requestState: unknown

  /** Notifies all connected clients that a list changed. */
  announce(list: 'tools' | 'prompts' | 'resources'): void
  /** Notifies the clients that subscribed to the resource. */
  resourceUpdated(uri: string): void
  /**
   * Closes the connection of this call. The client reconnects for the result after `retryMs` (protocol version 2025-11-25 only).
   */
  closeStream(retryMs?: number): void
}

export interface SampleRequest {
  messages: (Message | { role: 'user' | 'assistant'; content: Content | Content[] })[]
  maxTokens: number
  systemPrompt?: string
  temperature?: number
  stopSequences?: string[]
  modelPreferences?: Record<string, unknown>
  includeContext?: 'none' | 'thisServer' | 'allServers'
  tools?: Record<string, unknown>[]
  toolChoice?: Record<string, unknown>
  metadata?: Record<string, unknown>
  /** Distinguishes the question from other questions in the same call. */
  key?: string
}

export interface SampleResult {
  role: 'user' | 'assistant'
  content: Content | Content[]
  model: string
  stopReason?: string
  /** All text blocks of the content. */
  text: string
}

export interface ElicitRequest<S extends Schema = Schema> {
  message: string
  schema: S
  key?: string
}

export interface ElicitUrlRequest {
  message: string
  url: string
  /** Default: a random id. */
  elicitationId?: string
  key?: string
}

export type ElicitResult<Value> =
  | { action: 'accept'; content: Value }
  | { action: 'decline' | 'cancel'; content?: undefined }
