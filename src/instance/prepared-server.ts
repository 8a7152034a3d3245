import type { Era } from '../shared/artifact.ts'
import type { LogLevel } from '../shared/definitions.ts'
import type { LogLine } from '../shared/instance-protocol.ts'
import type { Exchange } from './http/exchange.ts'

/**
 * The seam inside an instance: the protocol layer (HTTP, sessions, both eras) on one side, what a server *does* on the
 * other. Everything that can be made once per artifact (serialised lists, validators, parsed templates) is made by
 * `prepare-server.ts`; per request only these calls remain. Results have the shapes of MCP, era-independent fields only.
 */
export interface PreparedServer {
  info: { name: string; title?: string; version: string }
  instructions?: string
  capabilities: ServerCapabilities
  /** One page as serialised JSON members, for example `"tools":[…],"nextCursor":"…"`. Throws RpcError -32602 for a bad cursor. */
  listTools: ListMethod
  listResources: ListMethod
  listResourceTemplates: ListMethod
  listPrompts: ListMethod
  /** Undefined when there is no such tool. */
  findTool(name: string): PreparedTool | undefined
  /** Where `findTool` cannot tell: whether the artifact lists a tool of this name. */
  listsTool?(name: string): boolean
  readResource(uri: string, context: ClientContext): Promise<ReadResourceResult>
  /** True when the URI names a resource or matches a resource template. */
  hasResource(uri: string): boolean
  getPrompt(name: string, args: Record<string, string>, context: ClientContext): Promise<GetPromptResult>
  complete(params: CompleteParams, context: ClientContext): Promise<CompleteResult>
  /** True when it may send what no request asked for: sessions then get a GET stream that can be resumed. */
  speaksUnasked?: boolean
  /** Called once before any request: what the server can do outside of them. */
  attach?(outlet: ServerOutlet): void
  /** A session of the legacy era (un)subscribed; its updates are sent by `resourceUpdated` alone. */
  subscribe?(uri: string, isWanted: boolean, context: ClientContext): void | Promise<void>
  /** A client of the modern era wants to hear of these resources until `ended`. */
  listen?(uris: readonly string[], ended: AbortSignal): void
  /** A session of the legacy era set its level; what it is sent is filtered already. */
  setLogLevel?(level: LogLevel, context: ClientContext): void | Promise<void>
  /** A notification of a legacy client other than `notifications/cancelled`. */
  notified?(method: string, params: Record<string, unknown>, session: CallerSession): void
  /** Takes every request but `/health` as it came: the server is a program that speaks HTTP itself. */
  forward?(exchange: Exchange): Promise<void>
  /** The path at which requests are not forwarded: they are answered here while it sleeps. */
  ownPath?: string | undefined
  /** Eras that are answered here while it sleeps; without them both. */
  eras?: readonly Era[]
  /** What it holds in processes beside this one. */
  readonly memoryBytes?: number
  /** False while what it forwards to does not answer. */
  isWell?(): Promise<boolean>
  /** Resolves when nothing of it is left, a program's processes included. */
  close(): void | Promise<void>
}

/** A bridge asks its program, which may have a list of its own for each client. */
export type ListMethod = (cursor?: string, context?: ClientContext) => string | Promise<string>

/** What a server can do outside of any request. */
export interface ServerOutlet {
  announce(list: 'tools' | 'prompts' | 'resources'): void
  resourceUpdated(uri: string): void
  /** It cannot go on: the deployment fails, and `message` says why. */
  fail(message: string): void
  /** To the deployment's log; `stream`: where it came from, the server itself by default. */
  log(level: LogLine['level'], message: string, stream?: LogLine['stream']): void
  /** A line that another log of ours made; a request that it tells of is counted. */
  copy?(line: LogLine): void
  /** What serves ended and is started anew. `how`: the rest of a sentence about it. */
  restarting?(how: string): void
}

export interface PreparedTool {
  name: string
  /** JSON Schema as it was declared; needed for `x-mcp-header` (SEP-2243). */
  inputSchema: Record<string, unknown>
  /**
   * True when the tool is known to log, report progress or ask before it answers: the answer is then an SSE stream from
   * its start on. Otherwise it becomes one with the first thing that the handler says.
   */
  streams: boolean
  /** Validates the arguments, then runs the handler. A bad argument or a failed handler is `isError: true`, never a throw. */
  call(
    args: Record<string, unknown>,
    context: ClientContext,
  ): Promise<CallToolResult | ResultText> | CallToolResult
}

/** What a handler can do besides answering. Calls on it after the answer, or after `signal` aborted, do nothing. */
export interface CallContext {
  signal: AbortSignal
  log(level: LogLevel, data: unknown, logger?: string): void
  progress(progress: number, total?: number, message?: string): void
  /** `_meta["mcp-hosting/context"]` of the request: `{user_id?, session_data?}`; readable as `context` in templates. */
  hostingContext: Record<string, unknown> | undefined
}

/** What the code of custom servers, and bridges to programs, can do besides. */
export interface ClientContext extends CallContext {
  /** Aborts `signal`, for a handler that takes too long. */
  cancel?(): void
  /** Calls it once when the client gives the request up, at once when it did already: `signal` without the cost of one. */
  onCancel(listener: () => void): void
  /** A question to the client waits for its answer, which may take as long as a person does. */
  readonly isAsking?: boolean
  /** `_meta` of the request as it came. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly client: ClientFacts
  /** Token of the request's `Authorization: Bearer` header. */
  readonly bearerToken: string | undefined
  /** Who signed in; undefined where nobody needs to. */
  readonly caller: Caller | undefined
  /** The legacy session the request belongs to; undefined in the modern era, which has none. */
  readonly session: CallerSession | undefined
  /**
   * Asks the client and waits for its answer: `sampling/createMessage`, `elicitation/create`, `roots/list`.
   * Legacy era: a JSON-RPC request on the request's own stream. Modern era: the call ends with `input_required`, and the
   * client's next try runs the handler anew, with the same questions in the same order answered from `inputResponses`.
   * Rejects with RpcError -32021 (modern) or -32600 when the client has no such capability. `key`: the question's name in
   * `inputRequests`; by default its number.
   */
  ask(
    method: string,
    params: Record<string, unknown>,
    key?: string,
    /** Aborted when nobody wants the answer any more; the client is told in the legacy era. */
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
  /** Answers to the requests of an {@link InputRequired} that this handler threw before, by their keys. */
  readonly inputResponses: Readonly<Record<string, Record<string, unknown>>> | undefined
  /** The state that it threw with them; nobody but this deployment can have made it. */
  readonly requestState: unknown
  /** `notifications/{tools,prompts,resources}/list_changed` to everyone who listens. */
  announce(list: 'tools' | 'prompts' | 'resources'): void
  /** `notifications/resources/updated` to whoever subscribed to it. */
  resourceUpdated(uri: string): void
  /** Ends the request's own stream; the client comes back for the rest after `retryMs` (SEP-1699). Legacy era only. */
  closeStream(retryMs?: number): void
}

/** Whom a request's token was issued to, verified. */
export interface Caller {
  /** `<provider>|<id of the user there>`. */
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Unix seconds. */
  readonly expiresAt: number
  /** All claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** What the client said of itself: with each request in the modern era, once a session in the legacy era. */
export interface ClientFacts {
  protocolVersion: string
  capabilities: Readonly<Record<string, unknown>>
  info: { name: string; version: string } | undefined
}

/** A legacy session, the same object for all its requests. */
export interface CallerSession {
  readonly id: string
  /** Aborted when the session is over. */
  readonly ended: AbortSignal
  /** Its client holds a GET stream. */
  readonly isListening: boolean
  /** Sends a notification or a request outside of any request's stream (the session's GET stream). */
  notify(method: string, params?: Record<string, unknown>): void
  ask(
    method: string,
    params: Record<string, unknown>,
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
}

export interface ServerCapabilities {
  tools?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  prompts?: { listChanged?: boolean }
  completions?: Record<string, never>
  logging?: Record<string, never>
}

export type Content = { type: string; [key: string]: unknown }
export interface CallToolResult {
  content: Content[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}
/**
 * A tool's result as the JSON text that it came as, checked to be one: its members without braces, none of them `_meta`. A
 * class, so that no value that a handler makes up is taken for it.
 */
export class ResultText {
  readonly members: string
  /** It says `isError`. */
  readonly failed: boolean
  constructor(members: string, failed: boolean) {
    this.members = members
    this.failed = failed
  }
}
export interface ReadResourceResult {
  contents: {
    uri: string
    mimeType?: string
    text?: string
    blob?: string
    _meta?: Record<string, unknown>
  }[]
}
export interface GetPromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: Content }[]
}
export interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
  argument: { name: string; value: string }
  context?: { arguments?: Record<string, string> }
}
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
}

/**
 * Thrown by a handler that needs answers of the client and wants to be run anew with them (MRTR, SEP-2322): the call ends
 * with `input_required`. In the legacy era the questions are asked on the call's own stream, to the same effect.
 */
export class InputRequired extends Error {
  readonly requests: Readonly<Record<string, InputRequest>>
  /** Any JSON that the next run is to find as `requestState`; signed, not hidden from the client. */
  readonly state: unknown
  constructor(requests: Record<string, InputRequest>, state?: unknown) {
    super('the call needs answers of the client')
    this.requests = requests
    this.state = state
  }
}

export interface InputRequest {
  method: string
  params: Record<string, unknown>
}

/** A JSON-RPC error that the protocol layer sends as it is. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
