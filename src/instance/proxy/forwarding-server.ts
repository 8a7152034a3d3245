import { Pool } from 'undici'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { type Child, ChildSlot } from '../bridge/children/child-slot.ts'
import { logCrash } from '../bridge/children/children.ts'
import type { BufferedReporter } from '../bridge/process/buffered-reporter.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { startWithRetries } from '../bridge/process/start-with-retries.ts'
import { header } from '../http/headers.ts'
import type { ExchangeTenant, HttpExchange } from '../http/http-exchange.ts'
import { refuse } from '../http/responses.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { isEnded } from '../protocol/legacy/ended-sessions.ts'
import { refuseSession } from '../protocol/legacy/require-session.ts'
import type { Session } from '../protocol/legacy/session.ts'
import type { PreparedServer, ServerReporter } from '../server/prepared-server.ts'
import { type ForwardOptions, forward } from './forward.ts'
import { type ForwardedSession, ProgramSessions } from './program-sessions.ts'
import { recordExchange } from './record-exchange.ts'

const CONNECT_TRIES = 5
const RETRY_DELAY_MS = 200

/** A process that serves HTTP itself. */
export interface Upstream extends Child {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Resident memory, if known. */
  readonly memoryBytes?: number
  /** True when the upstream answers a request. Upstreams without this check count as healthy. */
  answers?(): Promise<boolean>
}

export interface ForwardingOptions<U extends Upstream> extends ForwardOptions {
  artifact: Artifact
  reporter: BufferedReporter
  /** Name in messages: `program` or `container`. */
  what: string
  /** Path of the upstream's MCP endpoint. */
  path: string
  /** Starts an upstream and reports it through `onStarted`. Rejects with ChildStartError. */
  open(onStarted: (upstream: U) => void): Promise<U>
  /** True when the upstream's own log lines report its requests. */
  logsRequests?: boolean
  /** Called when all upstreams have stopped. */
  onClosed(): void
}

/** Prepares a server that forwards requests to an MCP server over HTTP. */
export async function prepareForwarding<U extends Upstream>(
  tenant: Tenant,
  options: ForwardingOptions<U>,
): Promise<PreparedServer> {
  const server = new ForwardingServer(options)
  try {
    await startWithRetries(tenant, () => server.start())
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

class ForwardingServer<U extends Upstream> implements PreparedServer {
  readonly info: PreparedServer['info']
  readonly capabilities = {}
  /** Keeps each session on one instance, because only the program knows its sessions. */
  readonly sendsServerRequests = true
  readonly #options: ForwardingOptions<U>
  readonly #slot: ChildSlot<U>
  readonly #pools = new WeakMap<U, Pool>()
  readonly #sessions = new ProgramSessions()
  #restart: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ForwardingOptions<U>) {
    const { name, version, title } = options.artifact.server
    const { reporter, what } = options
    this.info = { name, version, ...(title !== undefined && { title }) }
    this.#options = options
    this.#slot = new ChildSlot({
      open: onStarted => this.#open(onStarted),
      onCrash: (sentence, restartMs) => this.#onCrash(sentence, restartMs),
      onCrashLoop: sentence => reporter.fail(`the ${what} keeps crashing. The last time it ${sentence}`),
    })
  }

  async start(): Promise<void> {
    await this.#slot.get()
  }

  attach(reporter: ServerReporter): void {
    this.#options.reporter.attach(reporter)
  }

  async forward(exchange: HttpExchange): Promise<void> {
    const id = header(exchange.request, 'mcp-session-id')
    if (id !== undefined && isEnded(exchange.tenant.config.endedSessions, id)) return refuseSession(exchange)
    try {
      const ended = recordExchange(exchange, { isLogged: this.#options.logsRequests === true })
      const session = this.#sessions.of(exchange)
      await this.#tryForward(exchange, session).finally(() => {
        ended()
        session?.end(exchange.response.statusCode)
      })
    } catch (error) {
      const message = error instanceof ChildStartError ? error.message : 'the request could not be forwarded'
      if (!(error instanceof ChildStartError))
        this.#options.reporter.log('error', String((error as Error).stack))
      refuse(exchange, 503, { code: RPC.refused, message: `This server cannot answer: ${message}` }, [
        'Retry-After',
        '1',
      ])
    }
  }

  /** Ends a session in the program. A program that does not support DELETE keeps the session until it times out. */
  endSession(tenant: ExchangeTenant, session: Session): void {
    const { current } = this.#slot
    const pool = current && this.#pools.get(current)
    if (!pool) return
    const send = async () => {
      const headers = await this.#sessions.headersOf(tenant, session)
      await pool
        .request({ method: 'DELETE', path: this.#options.path, headers })
        .then(({ body }) => body.dump())
    }
    send().catch(() => {}) // the client can no longer use the session
  }

  /** Forwards a request. Tries the next process when the connection is refused, because the program has then just stopped. */
  async #tryForward(exchange: HttpExchange, session: ForwardedSession | undefined): Promise<void> {
    const path = this.#pathOf(exchange.request.url ?? '/')
    for (let tries = 0; tries < CONNECT_TRIES; tries++) {
      const child = await this.#slot.get()
      const headers = await session?.headers(child.origin + this.#options.path)
      const options = { ...this.#options, session, ...(headers && { headers }) }
      const fault = await forward(exchange, this.#pools.get(child)!, path, options)
      if (!fault) return
      // Waits, so that the exit of the program is noticed before the next attempt or request.
      await Promise.race([child.ended, new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS))])
      if (fault.code === 'ECONNREFUSED') continue
      const message = `The ${this.#options.what} did not answer: ${reasonOf(fault)}`
      return refuse(exchange, 502, { code: RPC.refused, message }, ['Retry-After', '1'])
    }
    throw new ChildStartError(`the ${this.#options.what} no longer listens on $PORT`)
  }

  get memoryBytes(): number {
    return this.#slot.current?.memoryBytes ?? 0
  }

  async isHealthy(): Promise<boolean> {
    const { current } = this.#slot
    return current !== undefined && (await (current.answers?.() ?? true))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    const { current } = this.#slot
    // A program that drains before it stops would wait for idle connections of the pool.
    if (current) await this.#pools.get(current)?.destroy()
    await this.#slot.close()
    this.#options.onClosed()
  }

  // Not used for requests, which `forward` receives.
  listTools = notServed
  listResources = notServed
  listResourceTemplates = notServed
  listPrompts = notServed
  findTool = () => undefined
  hasResource = () => false
  readResource = notServed
  getPrompt = notServed
  complete = notServed

  async #open(onStarted: (upstream: U) => void): Promise<U> {
    const upstream = await this.#options.open(onStarted)
    const pool = new Pool(upstream.origin, { pipelining: 1, keepAliveTimeout: 4000 })
    this.#pools.set(upstream, pool)
    void upstream.ended.then(() => pool.destroy())
    return upstream
  }

  /** Restarts without waiting for the next client. */
  #onCrash(sentence: string, restartMs: number): void {
    const { reporter, what } = this.#options
    logCrash(reporter, what)(sentence, restartMs)
    reporter.restarting(sentence)
    if (this.#isClosed) return
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => void this.start().catch(() => {}), restartMs) // logged by `onCrash`
  }

  /** Maps `/mcp` to the program's MCP path. Other paths stay as they are. */
  #pathOf(url: string): string {
    const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url)!
    return path === '/mcp' ? this.#options.path + query : url
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'UND_ERR_SOCKET' ? 'it closed the connection' : (code ?? message)
}

function notServed(): never {
  throw new RpcError(RPC.internalError, 'The program of this server answers its requests')
}
