import type { LogLevel } from '../../shared/definitions.ts'
import { VERSION } from '../../shared/version.ts'
import {
  type CallToolResult,
  type ClientContext,
  type ClientFacts,
  type ResultText,
  RpcError,
} from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { isLogLevel } from '../protocol/log-level.ts'
import { LATEST_LEGACY } from '../protocol/revisions.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine } from './command-line.ts'
import { passedMeta } from './hop-meta.ts'
import type { PendingRequest } from './pending-requests.ts'
import type { ProcessGuard } from './process-guard.ts'
import {
  describeProgramEnding,
  type ProgramEnding,
  ProgramProcess,
  type StopDelays,
} from './program-process.ts'
import { type Result, RpcChannel } from './rpc-channel.ts'
import { readPages, type ServerFacts, toFacts } from './server-facts.ts'

/** How often calls that take too long are looked for. */
const WATCH_MS = 1000
/** What a child tells whoever started it. */
export interface ChildEvents {
  onStderr(line: string): void
  /** A line on its standard output that is no message. */
  onNoise(line: string): void
  /** It asks the client. */
  onAsk(method: string, params: Result, unwanted: AbortSignal): Promise<Result>
  onLog(level: LogLevel, data: unknown, logger: string | undefined): void
  onListChanged(list: 'tools' | 'prompts' | 'resources'): void
  onResourceUpdated(uri: string): void
}

export interface ChildOptions {
  guard: ProcessGuard
  /** An answer that has not begun to show itself (by progress) for so long is given up. */
  timeoutMs: number
  /** From the start to the answer to `initialize`. */
  startTimeoutMs: number
  delays?: StopDelays
}

/** A child process that speaks MCP over standard input and output. */
export class McpChild {
  readonly process: ProgramProcess
  readonly ended: Promise<ProgramEnding>
  readonly startedAt = Date.now()
  facts: ServerFacts | undefined
  isAlive = true
  /** Its end is wanted. */
  isStopping = false
  readonly #channel: RpcChannel
  readonly #options: ChildOptions
  #events: ChildEvents
  /** Runs while calls do. */
  #watch: NodeJS.Timeout | undefined

  /** Starts the program; `initialize` makes a server of it. */
  constructor(command: CommandLine, options: ChildOptions, events: ChildEvents) {
    this.#options = options
    this.#events = events
    this.process = new ProgramProcess(command, { ...options, onStderr: line => this.#events.onStderr(line) })
    this.#channel = new RpcChannel(this.process.stdin, this.process.stdout, {
      onRequest: (...request) => this.#answer(...request),
      onNotification: (method, params) => this.#notified(method, params),
      onNoise: line => this.#events.onNoise(line),
    })
    this.ended = this.process.ended.then(ending => {
      this.isAlive = false
      clearInterval(this.#watch)
      this.#channel.fail(endedError(ending))
      return ending
    })
  }

  /** A spare one changes hands when it is taken. */
  set events(events: ChildEvents) {
    this.#events = events
  }

  /** Requests of clients that it has not answered yet, the oldest first. */
  get calls(): ClientContext[] {
    return this.#channel.pending.all().flatMap(({ context }) => context ?? [])
  }

  get isBusy(): boolean {
    return this.#channel.pending.size > 0
  }

  /** The handshake, in the name of this client. Rejects with ChildStartError; then the process has ended. */
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
      throw new ChildStartError(`the program ${why}`, this.process.lastLines)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Passes a client's request on: ids and progress tokens are our own, and it is cancelled when the client's is. */
  call(method: string, params: Result, context: ClientContext): Promise<Result> {
    return new Promise<Result>((resolve, reject) =>
      this.#pass({ id: 0, method, context, deadline: this.#deadline(), resolve, reject }, params, context),
    )
  }

  /** The same for a tool, whose result is not read where that can be. */
  callTool(params: Result, context: ClientContext): Promise<CallToolResult | ResultText> {
    return new Promise<CallToolResult | ResultText>((resolve, reject) => {
      const take = resolve as (result: object) => void
      const request = { id: 0, method: 'tools/call', context, deadline: this.#deadline() }
      this.#pass({ ...request, resolve: take, resolveText: take, reject }, params, context)
    })
  }

  /** A request of our own. */
  request(method: string, params?: Result): Promise<Result> {
    return this.#channel.request(method, params)
  }

  notify(method: string): void {
    this.#channel.notify(method)
  }

  /** Ends a client's call with this error, whatever the program is still doing for it. */
  failCall(context: ClientContext, error: unknown): void {
    for (const pending of this.#channel.pending.all()) {
      if (pending.context !== context) continue
      this.#channel.cancel(pending.id, 'The client must answer first')
      pending.reject(error)
    }
  }

  /** Everything of one list, page after page. */
  readList(method: string, member: string): Promise<Result[]> {
    return readPages(member, params => this.#channel.request(method, params))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.process.stop()
    await this.ended
  }

  #pass(request: PendingRequest, params: Result, context: ClientContext): void {
    this.#channel.send(request, id => {
      const meta = passedMeta(context.meta, id)
      return JSON.stringify(meta ? { ...params, _meta: meta } : params)
    })
    context.onCancel(() => {
      this.#channel.cancel(request.id, 'The client cancelled the request')
      request.reject(new RpcError(RPC.refused, 'The request was cancelled'))
    })
    this.#watch ??= setInterval(() => this.#giveUpLate(), WATCH_MS)
  }

  #deadline(): number {
    return Date.now() + this.#options.timeoutMs
  }

  async #answer(method: string, params: Result, unwanted: AbortSignal): Promise<Result> {
    if (method === 'ping') return {}
    return this.#events.onAsk(method, params, unwanted)
  }

  #notified(method: string, params: Result): void {
    switch (method) {
      case 'notifications/progress':
        return this.#passProgress(params)
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

  #passProgress({ progressToken, progress, total, message }: Result): void {
    const pending = this.#channel.pending.get(progressToken)
    if (!pending?.context || typeof progress !== 'number') return
    pending.deadline = this.#deadline()
    pending.context.progress(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    )
  }

  #giveUpLate(): void {
    const now = Date.now()
    for (const pending of this.#channel.pending.all()) {
      // A client that is asked may take as long as a person does.
      if (pending.deadline > now || pending.context?.isAsking) continue
      this.#channel.cancel(pending.id, 'It took too long')
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
