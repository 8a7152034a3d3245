import type { Content, Message } from './content.ts'
import type { ArgumentsOf, Schema } from './schema.ts'

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** What a handler can do besides answering. After the answer all of it does nothing. */
export interface Context {
  /** Aborted when the client cancels the call, or goes away where that means the same. */
  readonly signal: AbortSignal
  /** The variables that the server declares, with the deployment's values or their defaults. */
  readonly env: Readonly<Record<string, string>>
  readonly client: {
    readonly protocolVersion: string
    readonly capabilities: Readonly<Record<string, unknown>>
    readonly info: { readonly name: string; readonly version: string } | undefined
  }
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The caller's access token: `_meta.authorization.token`, else that of the `Authorization: Bearer` header. */
  readonly token: string | undefined
  /**
   * Who signed in, where the deployment is protected (`deploy.auth`): the verified token of the `Authorization` header, whatever
   * `_meta` holds. Undefined elsewhere.
   */
  readonly auth:
    | {
        /** `<provider>|<id of the user there>`. */
        readonly subject: string
        readonly clientId: string
        readonly scopes: readonly string[]
        /** Unix seconds. */
        readonly expiresAt: number
        /** All claims of the token. */
        readonly claims: Readonly<Record<string, unknown>>
      }
    | undefined
  /** Of clients up to revision 2025-11-25; later ones have none. */
  readonly sessionId: string | undefined

  /** A log line for the client, and for the deployment's log. */
  log(level: LogLevel, data: unknown, logger?: string): void
  debug(data: unknown, logger?: string): void
  info(data: unknown, logger?: string): void
  notice(data: unknown, logger?: string): void
  warning(data: unknown, logger?: string): void
  error(data: unknown, logger?: string): void
  /** Reports progress where the client asked for it; `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void

  /**
   * Asks the client's model. This and the next three wait for the client. A client of revision 2026-07-28 answers with
   * a new request: the handler then runs anew from its start and finds its questions answered, so it must ask them in the
   * same order and do nothing before them that may not be done twice. Rejects when the client cannot be asked that.
   */
  sample(prompt: string | SampleRequest): Promise<SampleResult>
  /** Asks the person for what a form of `schema` holds: a flat object of texts, numbers, booleans and choices. */
  elicit<const S extends Schema>(request: ElicitRequest<S>): Promise<ElicitResult<ArgumentsOf<S>>>
  /** Sends the person to a page, for what must not pass through the client: sign-in, payment. */
  elicitUrl(request: ElicitUrlRequest): Promise<ElicitResult<undefined>>
  listRoots(options?: { key?: string }): Promise<{ uri: string; name?: string }[]>

  /** Answers to the requests of an `inputRequired` that this handler returned before, by their keys. */
  readonly inputResponses: Readonly<Record<string, Record<string, unknown>>> | undefined
  /** The `state` that it returned with them. */
  readonly requestState: unknown

  /** Tells all clients that listen that a list is not what it was. */
  announce(list: 'tools' | 'prompts' | 'resources'): void
  /** Tells the clients that subscribed to it. */
  resourceUpdated(uri: string): void
  /** Ends the connection of this call; the client comes back for the answer after `retryMs` (revision 2025-11-25 alone). */
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
  /** The question's name where it travels as one of several. */
  key?: string
}

export interface SampleResult {
  role: 'user' | 'assistant'
  content: Content | Content[]
  model: string
  stopReason?: string
  /** All text of the content. */
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
  /** Made up when it is left out. */
  elicitationId?: string
  key?: string
}

export type ElicitResult<Value> =
  | { action: 'accept'; content: Value }
  | { action: 'decline' | 'cancel'; content?: undefined }
