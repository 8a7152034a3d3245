import type { Era } from '../../shared/definitions/artifact.ts'
import type { LogLevel } from '../../shared/definitions/definitions.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import type { StateBackend } from '../../shared/instances/state-operations.ts'
import type { ExchangeTenant, HttpExchange } from '../http/http-exchange.ts'
import type { Session } from '../protocol/legacy/session.ts'
import type { CallerSession, ClientContext } from './client-context.ts'
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
  ResultText,
} from './results.ts'

/**
 * Boundary between the protocol layer (HTTP, sessions, both eras) and what a server does. Work that is needed once per
 * artifact (serialized lists, validators, parsed templates) is done once and not for each call. Results have the shapes of
 * MCP with the fields that both eras share.
 */
export interface PreparedServer {
  info: { name: string; title?: string; version: string }
  instructions?: string
  capabilities: ServerCapabilities
  /** One page as serialized JSON members, for example `"tools":[…],"nextCursor":"…"`. Throws RpcError -32602 for a bad cursor. */
  listTools: ListMethod
  listResources: ListMethod
  listResourceTemplates: ListMethod
  listPrompts: ListMethod
  /** Undefined when no such tool exists. */
  findTool(name: string): PreparedTool | undefined
  /** True when the artifact lists a tool with this name. For servers whose `findTool` accepts any name. */
  listsTool?(name: string): boolean
  readResource(uri: string, context: ClientContext): Promise<ReadResourceResult>
  /** True when the URI names a resource or matches a resource template. */
  hasResource(uri: string): boolean
  getPrompt(name: string, args: Record<string, string>, context: ClientContext): Promise<GetPromptResult>
  complete(params: CompleteParams, context: ClientContext): Promise<CompleteResult>
  /** True when the server may send messages that no request asked for. Sessions then get a resumable GET stream. */
  sendsServerRequests?: boolean
  /** Called once before the first request. */
  attach?(reporter: ServerReporter): void
  /** Called when a legacy session subscribes or unsubscribes. Updates are sent through `resourceUpdated` only. */
  subscribe?(uri: string, isWanted: boolean, context: ClientContext): void | Promise<void>
  /** Called when a modern client listens for updates to these resources, until `ended` aborts. */
  listen?(uris: readonly string[], ended: AbortSignal): void
  /** Called when a legacy session sets its level. The protocol layer already filters by it. */
  setLogLevel?(level: LogLevel, context: ClientContext): void | Promise<void>
  /** Called for notifications from legacy clients, except `notifications/cancelled`. */
  notified?(method: string, params: Record<string, unknown>, session: CallerSession): void
  /** Receives requests that the HTTP layer does not answer, unchanged. For programs that speak HTTP themselves. */
  forward?(exchange: HttpExchange): Promise<void>
  /** Ends a session in the program after it was ended through the API. */
  endSession?(tenant: ExchangeTenant, session: Session): void
  /** Path that is not forwarded but answered here while the server sleeps. */
  ownPath?: string | undefined
  /** Eras that are answered here while the server sleeps. Absent: both. */
  eras?: readonly Era[]
  /** Memory of the server's other processes. */
  readonly memoryBytes?: number
  /** False while the program behind `forward` does not answer. */
  isHealthy?(): Promise<boolean>
  /** Resolves when everything has stopped, including a program's processes. */
  close(): void | Promise<void>
}

/** Serialized page of a list. A bridge queries its program, which may return a different list to each client. */
export type ListMethod = (cursor?: string, context?: ClientContext) => string | Promise<string>

/** Reports from a server outside any request. */
export interface ServerReporter {
  announce(list: 'tools' | 'prompts' | 'resources'): void
  resourceUpdated(uri: string): void
  /** Reports that the server cannot continue. The deployment fails with `message`. */
  fail(message: string): void
  /** Writes to the deployment's log. `stream` is the source of the line, by default the server itself. */
  log(level: LogLine['level'], message: string, stream?: LogLine['stream']): void
  /** Copies a line from another log in our format. A line about a request also counts the request. */
  copy?(line: LogLine): void
  /** Reports that the serving process has exited and is being restarted. `how` completes a sentence about that process. */
  restarting?(how: string): void
  /** Store of the handlers, if the server has one. */
  readonly state?: StateBackend | undefined
}

export interface PreparedTool {
  name: string
  /** JSON Schema as declared. Needed for `x-mcp-header` (SEP-2243). */
  inputSchema: Record<string, unknown>
  /**
   * True when the tool is known to log, report progress or ask before it answers. The answer is then an SSE stream from the
   * start. Otherwise, the answer becomes a stream on the handler's first message.
   */
  streams: boolean
  /**
   * Validates the arguments and runs the handler. Bad arguments and failed handlers return `isError: true`. Throws only
   * InputRequired and protocol errors.
   */
  call(
    args: Record<string, unknown>,
    context: ClientContext,
  ): Promise<CallToolResult | ResultText> | CallToolResult
}

export interface ServerCapabilities {
  tools?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  prompts?: { listChanged?: boolean }
  completions?: Record<string, never>
  logging?: Record<string, never>
}
