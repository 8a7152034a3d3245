import { Pool } from 'undici'
import type { Artifact } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { type Child, ChildSlot } from '../bridge/child-slot.ts'
import { ChildStartError } from '../bridge/child-start-error.ts'
import { tellCrash } from '../bridge/children.ts'
import type { EarlyOutlet } from '../bridge/outlet.ts'
import { startWithRetries } from '../bridge/start-with-retries.ts'
import { type Exchange, refuse } from '../http/exchange.ts'
import { type PreparedServer, RpcError, type ServerOutlet } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { type ForwardOptions, forward } from './forward.ts'
import { type ForwardedSession, ProgramSessions } from './program-sessions.ts'
import { recordExchange } from './record-exchange.ts'

const CONNECT_TRIES = 5
const PAUSE_MS = 200

/** What serves HTTP by itself. */
export interface Upstream extends Child {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Resident memory, where it is known. */
  readonly memoryBytes?: number
  /** Whether a request gets an answer; what cannot tell is taken to be well. */
  answers?(): Promise<boolean>
}

export interface ForwardingOptions<U extends Upstream> extends ForwardOptions {
  artifact: Artifact
  outlet: EarlyOutlet
  /** What it is to people: `program`, `container`. */
  what: string
  /** Where it serves MCP. */
  path: string
  /** Starts one, and tells of it by `began`. Rejects with ChildStartError. */
  open(began: (upstream: U) => void): Promise<U>
  /** Its requests are told by its own log lines. */
  tellsRequests?: boolean
  /** Nothing of it is left. */
  onClosed(): void
}

/** Serves what serves MCP over HTTP itself: every request but `/health` goes to it as it is. */
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
  /** Its sessions are nobody else's. */
  readonly speaksUnasked = true
  readonly #options: ForwardingOptions<U>
  readonly #slot: ChildSlot<U>
  readonly #pools = new WeakMap<U, Pool>()
  readonly #sessions = new ProgramSessions()
  #restart: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ForwardingOptions<U>) {
    const { name, version, title } = options.artifact.server
    const { outlet, what } = options
    this.info = { name, version, ...(title !== undefined && { title }) }
    this.#options = options
    this.#slot = new ChildSlot({
      open: began => this.#open(began),
      onCrash: (sentence, restartMs) => this.#onCrash(sentence, restartMs),
      onCrashLoop: sentence => outlet.fail(`the ${what} ends again and again; the last time it ${sentence}`),
    })
  }

  async start(): Promise<void> {
    await this.#slot.get()
  }

  attach(outlet: ServerOutlet): void {
    this.#options.outlet.attach(outlet)
  }

  async forward(exchange: Exchange): Promise<void> {
    try {
      const ended = recordExchange(exchange, { isTold: this.#options.tellsRequests === true })
      const session = this.#sessions.of(exchange)
      await this.#tryForward(exchange, session).finally(() => {
        ended()
        session?.end(exchange.response.statusCode)
      })
    } catch (error) {
      const message = error instanceof ChildStartError ? error.message : 'the request could not be passed on'
      if (!(error instanceof ChildStartError))
        this.#options.outlet.log('error', String((error as Error).stack))
      refuse(exchange, 503, { code: RPC.refused, message: `This server cannot answer: ${message}` }, [
        'Retry-After',
        '1',
      ])
    }
  }

  /** Where nobody listens the program has just died, and the next one answers. */
  async #tryForward(exchange: Exchange, session: ForwardedSession | undefined): Promise<void> {
    const path = this.#pathOf(exchange.request.url ?? '/')
    for (let tries = 0; tries < CONNECT_TRIES; tries++) {
      const child = await this.#slot.get()
      const headers = await session?.headers(child.origin + this.#options.path)
      const options = { ...this.#options, session, ...(headers && { headers }) }
      const fault = await forward(exchange, this.#pools.get(child)!, path, options)
      if (!fault) return
      // The next request is not to meet the same dead one.
      await Promise.race([child.ended, new Promise(resolve => setTimeout(resolve, PAUSE_MS))])
      if (fault.code === 'ECONNREFUSED') continue
      const message = `The ${this.#options.what} did not answer: ${reasonOf(fault)}`
      return refuse(exchange, 502, { code: RPC.refused, message }, ['Retry-After', '1'])
    }
    throw new ChildStartError(`the ${this.#options.what} does not listen on $PORT any more`)
  }

  get memoryBytes(): number {
    return this.#slot.current?.memoryBytes ?? 0
  }

  async isWell(): Promise<boolean> {
    const { current } = this.#slot
    return current !== undefined && (await (current.answers?.() ?? true))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    const { current } = this.#slot
    // A server that drains waits for connections that are merely kept alive.
    if (current) await this.#pools.get(current)?.destroy()
    await this.#slot.close()
    this.#options.onClosed()
  }

  // Nothing below is ever asked: `forward` takes every request.
  listTools = notServed
  listResources = notServed
  listResourceTemplates = notServed
  listPrompts = notServed
  findTool = () => undefined
  hasResource = () => false
  readResource = notServed
  getPrompt = notServed
  complete = notServed

  async #open(began: (upstream: U) => void): Promise<U> {
    const upstream = await this.#options.open(began)
    const pool = new Pool(upstream.origin, { pipelining: 1, keepAliveTimeout: 4000 })
    this.#pools.set(upstream, pool)
    void upstream.ended.then(() => pool.destroy())
    return upstream
  }

  /** The next client is not to wait for it. */
  #onCrash(sentence: string, restartMs: number): void {
    const { outlet, what } = this.#options
    tellCrash(outlet, what)(sentence, restartMs)
    outlet.restarting(sentence)
    if (this.#isClosed) return
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => void this.start().catch(() => {}), restartMs) // told by `onCrash`
  }

  /** `/mcp` is wherever the program serves MCP; all else is where it is. */
  #pathOf(url: string): string {
    const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url)!
    return path === '/mcp' ? this.#options.path + query : url
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'UND_ERR_SOCKET' ? 'it closed the connection before' : (code ?? message)
}

function notServed(): never {
  throw new RpcError(RPC.internalError, 'Requests of this server are answered by its program')
}
