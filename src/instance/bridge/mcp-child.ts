import type { LogLevel } from '../../shared/definitions/definitions.ts'
import { VERSION } from '../../shared/version.ts'
import { type JsonObject, RPC, RpcError } from '../protocol/json-rpc.ts'
import { isLogLevel } from '../protocol/log-level.ts'
import { LATEST_LEGACY } from '../protocol/revisions.ts'
import type { ClientContext, ClientFacts } from '../server/client-context.ts'
import { type CallToolResult, ResultText } from '../server/results.ts'
import { forwardedMeta } from './forwarded-meta.ts'
import type { PendingRequest } from './pending-requests.ts'
import { ChildStartError } from './process/child-start-error.ts'
import { describeProgramEnding, type ProgramEnding } from './process/program-process.ts'
import type { RunningProgram, StartProgram } from './process/programs.ts'
import { RpcChannel } from './rpc-channel.ts'
import { readPages, type ServerFacts, toFacts } from './server-facts.ts'

/** Interval of the check for calls that take too long. */
const WATCH_MS = 1000
export interface ChildEvents {
  onStderr(line: string): void
  /** Called for a line on standard output that is not a message. */
  onNoise(line: string): void
  /** Called when the program sends a request to the client. */
  onAsk(method: string, params: JsonObject, unwanted: AbortSignal): Promise<JsonObject>
  onLog(level: LogLevel, data: unknown, logger: string | undefined): void
  onListChanged(list: 'tools' | 'prompts' | 'resources'): void
  onResourceUpdated(uri: string): void
}

export interface ChildOptions {
  /** A call fails after this time without an answer or progress. */
  timeoutMs: number
  /** Time from the start until the answer to `initialize`. */
  startTimeoutMs: number
}

/** A program that speaks MCP over standard input and output. */
export class McpChild {
  readonly #program: RunningProgram
  readonly ended: Promise<ProgramEnding>
  readonly startedAt = Date.now()
  facts: ServerFacts | undefined
  isAlive = true
  /** True once `stop` has been called. */
  isStopping = false
  readonly #channel: RpcChannel
  readonly #options: ChildOptions
  #events: ChildEvents
  /** Set while calls are running. */
  #watch: NodeJS.Timeout | undefined

  /** Starts the program. Call `initialize` next. */
  constructor(start: StartProgram, options: ChildOptions, events: ChildEvents) {
    this.#options = options
    this.#events = events
    this.#program = start(line => this.#events.onStderr(line))
    this.#channel = new RpcChannel(this.#program.stdin, this.#program.stdout, {
      onRequest: (...request) => this.#answer(...request),
      onNotification: (method, params) => this.#onNotification(method, params),
      onNoise: line => this.#events.onNoise(line),
    })
    this.ended = this.#program.ended.then(ending => {
      this.isAlive = false
      clearInterval(this.#watch)
      this.#channel.fail(endedError(ending))
      return ending
    })
  }

  /** Replaced when a spare child gets its client. */
  set events(events: ChildEvents) {
    this.#events = events
  }

  /** Unanswered client requests, oldest first. */
  get calls(): ClientContext[] {
    return this.#channel.pending.all().flatMap(({ context }) => context ?? [])
  }

  get isBusy(): boolean {
    return this.#channel.pending.size > 0
  }

  /** Completes the handshake on behalf of a client. If it fails, stops the process and rejects with ChildStartError. */
  async initialize(client: Pick<ClientFacts, 'capabilities' | 'info'>): Promise<ServerFacts> {
    let timer: NodeJS.Timeout | undefined
    const { startTimeoutMs } = this.#options
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`did not answer initialize within ${startTimeoutMs / 1000} s`)),
        startTimeoutMs,
      )
    })
    try {
      const answer = await Promise.race([
        this.#channel.request('initialize', {
          protocolVersion: LATEST_LEGACY,
          capabilities: client.capabilities,
          clientInfo: client.info ?? { name: 'mcp-hosting', version: VERSION },
        }),
        timeout,
      ])
      this.facts = toFacts(answer)
      this.#channel.notify('notifications/initialized')
      return this.facts
    } catch (error) {
      void this.stop()
      const ending = await this.ended
      const why =
        error instanceof ChildEndedError ? describeProgramEnding(ending) : describeRefusal(error as Error)
      throw new ChildStartError(`the program ${why}`, this.#program.lastLines)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Forwards a client's request with our own id and progress token. Cancelled together with the client's request. */
  call(method: string, params: JsonObject, context: ClientContext): Promise<JsonObject> {
    return new Promise<JsonObject>((resolve, reject) =>
      this.#pass({ id: 0, method, context, deadline: this.#deadline(), resolve, reject }, params, context),
    )
  }

  /** Like `call`, for a tool. Its result is forwarded as text if possible. */
  callTool(params: JsonObject, context: ClientContext): Promise<CallToolResult | ResultText> {
    return new Promise<CallToolResult | ResultText>((resolve, reject) => {
      const take = (result: object) => {
        const { failed, isError = failed } = result as { failed?: boolean; isError?: boolean }
        resolve(isError ? this.#advise(result) : (result as CallToolResult | ResultText))
      }
      const request = { id: 0, method: 'tools/call', context, deadline: this.#deadline() }
      const fail = (error: Error) => {
        const advice = this.#program.adviceFor?.(error.message)
        if (advice !== undefined) error.message = `${error.message} (${advice})`
        reject(error)
      }
      this.#pass({ ...request, resolve: take, resolveText: take, reject: fail }, params, context)
    })
  }

  /** Adds advice, if there is any, to a failed result. */
  #advise(result: object): CallToolResult | ResultText {
    const failed = result as CallToolResult | ResultText
    const text = failed instanceof ResultText ? `{${failed.members}}` : JSON.stringify(failed)
    const advice = this.#program.adviceFor?.(text)
    if (advice === undefined) return failed
    const { content, ...rest }: CallToolResult = JSON.parse(text)
    return { ...rest, content: [...(Array.isArray(content) ? content : []), { type: 'text', text: advice }] }
  }

  /** Sends a request of our own. */
  request(method: string, params?: JsonObject): Promise<JsonObject> {
    return this.#channel.request(method, params)
  }

  notify(method: string): void {
    this.#channel.notify(method)
  }

  /** Fails a client's call, even if the program is still working on it. */
  failCall(context: ClientContext, error: unknown): void {
    for (const pending of this.#channel.pending.all()) {
      if (pending.context !== context) continue
      this.#channel.cancel(pending.id, 'Waiting for an answer from the client')
      pending.reject(error)
    }
  }

  /** All entries of a list, from all pages. */
  readList(method: string, member: string): Promise<JsonObject[]> {
    return readPages(member, params => this.#channel.request(method, params))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.#program.stop()
    await this.ended
  }

  #pass(request: PendingRequest, params: JsonObject, context: ClientContext): void {
    this.#channel.send(request, id => {
      const meta = forwardedMeta(context.meta, id)
      return JSON.stringify(meta ? { ...params, _meta: meta } : params)
    })
    context.onCancel(() => {
      this.#channel.cancel(request.id, 'The client cancelled the request')
      request.reject(new RpcError(RPC.refused, 'The request was cancelled'))
    })
    this.#watch ??= setInterval(() => this.#failOverdueCalls(), WATCH_MS)
  }

  #deadline(): number {
    return Date.now() + this.#options.timeoutMs
  }

  async #answer(method: string, params: JsonObject, unwanted: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {}
    return this.#events.onAsk(method, params, unwanted)
  }

  #onNotification(method: string, params: JsonObject): void {
    switch (method) {
      case 'notifications/progress':
        return this.#forwardProgress(params)
      case 'notifications/message':
        return this.#events.onLog(
          isLogLevel(params.level) ? params.level : 'info',
          params.data,
          typeof params.logger === 'string' ? params.logger : undefined,
        )
      case 'notifications/resources/updated':
        return this.#events.onResourceUpdated(String(params.uri))
    }
    const list = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1]
    if (list) this.#events.onListChanged(list as 'tools')
  }

  #forwardProgress({ progressToken, progress, total, message }: JsonObject): void {
    const pending = this.#channel.pending.get(progressToken)
    if (!pending?.context || typeof progress !== 'number') return
    pending.deadline = this.#deadline()
    pending.context.progress(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    )
  }

  #failOverdueCalls(): void {
    const now = Date.now()
    for (const pending of this.#channel.pending.all()) {
      // A question to the client may take as long as a person needs to answer.
      if (pending.deadline + (pending.context?.waitedMs ?? 0) > now) continue
      this.#channel.cancel(pending.id, 'The request timed out')
      const seconds = this.#options.timeoutMs / 1000
      pending.reject(
        new RpcError(RPC.refused, `The program did not answer ${pending.method} within ${seconds} s`),
      )
    }
    if (this.#channel.pending.size > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}

class ChildEndedError extends RpcError {}

function endedError(ending: ProgramEnding): RpcError {
  return new ChildEndedError(
    RPC.internalError,
    `The program ${describeProgramEnding(ending)} before it answered`,
  )
}

function describeRefusal(error: Error): string {
  return error instanceof RpcError ? `refused initialize: ${error.message}` : error.message
}
