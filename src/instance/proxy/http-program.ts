import { Pool } from 'undici'
import type { Artifact } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { ChildSlot } from '../bridge/child-slot.ts'
import { ChildStartError } from '../bridge/child-start-error.ts'
import { tellCrash } from '../bridge/children.ts'
import { commandLine, type ExistingProgram } from '../bridge/command-line.ts'
import { EarlyOutlet } from '../bridge/outlet.ts'
import { ProcessGuard } from '../bridge/process-guard.ts'
import { startWithRetries } from '../bridge/start-with-retries.ts'
import { type Exchange, refuse } from '../http/exchange.ts'
import { type PreparedServer, RpcError, type ServerOutlet } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { forward } from './forward.ts'
import { HttpChild } from './http-child.ts'
import { recordExchange } from './record-exchange.ts'

const START_TIMEOUT_MS = 25_000
const CONNECT_TRIES = 5
const PAUSE_MS = 200

/** Serves a program that serves MCP over HTTP itself: every request but `/health` goes to it as it is. */
export async function prepareHttpProgram(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const outlet = new EarlyOutlet()
  const program = new HttpProgram(artifact, tenant, outlet)
  try {
    await startWithRetries(tenant, () => program.start())
  } catch (error) {
    await program.close()
    throw error
  }
  return program
}

class HttpProgram implements PreparedServer {
  readonly info: PreparedServer['info']
  readonly capabilities = {}
  readonly #program: ExistingProgram
  readonly #tenant: Tenant
  readonly #outlet: EarlyOutlet
  readonly #guard = new ProcessGuard()
  readonly #slot: ChildSlot<HttpChild>
  readonly #pools = new WeakMap<HttpChild, Pool>()
  #restart: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(artifact: Artifact, tenant: Tenant, outlet: EarlyOutlet) {
    const { name, version, title } = artifact.server
    this.info = { name, version, ...(title !== undefined && { title }) }
    this.#program = artifact.program as ExistingProgram
    this.#tenant = tenant
    this.#outlet = outlet
    this.#slot = new ChildSlot({
      open: began => this.#open(began),
      onCrash: (sentence, restartMs) => this.#onCrash(sentence, restartMs),
      onCrashLoop: sentence => outlet.fail(`the program ends again and again; the last time it ${sentence}`),
    })
  }

  async start(): Promise<void> {
    await this.#slot.get()
  }

  attach(outlet: ServerOutlet): void {
    this.#outlet.attach(outlet)
  }

  async forward(exchange: Exchange): Promise<void> {
    try {
      const ended = recordExchange(exchange)
      const path = this.#pathOf(exchange.request.url ?? '/')
      await this.#tryForward(exchange, path).finally(ended)
    } catch (error) {
      const message = error instanceof ChildStartError ? error.message : 'the request could not be passed on'
      if (!(error instanceof ChildStartError)) this.#outlet.log('error', String((error as Error).stack))
      refuse(exchange, 503, { code: RPC.refused, message: `This server cannot answer: ${message}` }, [
        'Retry-After',
        '1',
      ])
    }
  }

  /** Where nobody listens the program has just died, and the next one answers. */
  async #tryForward(exchange: Exchange, path: string): Promise<void> {
    for (let tries = 0; tries < CONNECT_TRIES; tries++) {
      const child = await this.#slot.get()
      const fault = await forward(exchange, this.#pools.get(child)!, path)
      if (!fault) return
      // The next request is not to meet the same dead one.
      await Promise.race([child.ended, new Promise(resolve => setTimeout(resolve, PAUSE_MS))])
      if (fault.code === 'ECONNREFUSED') continue
      const message = `The program did not answer: ${fault.code ?? fault.message}`
      return refuse(exchange, 502, { code: RPC.refused, message })
    }
    throw new ChildStartError('the program does not listen on $PORT any more')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    await this.#slot.close()
    this.#guard.close()
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

  async #open(onStarted: (child: HttpChild) => void): Promise<HttpChild> {
    const command = commandLine(this.#program, this.#tenant)
    const child = await HttpChild.start(command, {
      guard: this.#guard,
      startTimeoutMs: START_TIMEOUT_MS,
      onStarted,
      onOutput: (stream, line) => this.#outlet.print(stream, line),
    })
    const pool = new Pool(child.origin, { pipelining: 1, keepAliveTimeout: 4000 })
    this.#pools.set(child, pool)
    void child.ended.then(() => pool.destroy())
    return child
  }

  /** The next client is not to wait for it. */
  #onCrash(sentence: string, restartMs: number): void {
    tellCrash(this.#outlet)(sentence, restartMs)
    if (this.#isClosed) return
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => void this.start().catch(() => {}), restartMs) // told by `onCrash`
  }

  /** `/mcp` is wherever the program serves MCP; all else is where it is. */
  #pathOf(url: string): string {
    const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url)!
    return path === '/mcp' ? this.#program.path + query : url
  }
}

function notServed(): never {
  throw new RpcError(RPC.internalError, 'Requests of this server are answered by its program')
}
