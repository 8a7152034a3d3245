import type { RequestListener, Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { IdleMemory } from '../shared/instances/idle-memory.ts'
import { connectionLimit } from './gateway/open-files.ts'
import { closeServer, listen } from './http/listen.ts'
import { answerMalformed } from './http/middleware/error-envelope.ts'

const CLOSE_GRACE_MS = 2000

/** Creates the API. Its event streams end when the signal aborts. */
export type CreateListener = (closing: AbortSignal) => RequestListener

/** Server of the API. Requests that arrive before `serve` is called wait. */
export class ApiServer {
  readonly port: number
  #server: Server
  #gate = Promise.withResolvers<RequestListener>()
  #closing = new AbortController()
  #create: CreateListener | undefined

  private constructor(port: number, open: { server: Server; gate: PromiseWithResolvers<RequestListener> }) {
    this.port = port
    this.#server = open.server
    this.#gate = open.gate
  }

  /**
   * Port 0 picks a free port. `descriptor` belongs to an inherited listening socket. Throws CONFLICT when the port is in use.
   */
  static async open(port: number, descriptor?: number): Promise<ApiServer> {
    const gate = Promise.withResolvers<RequestListener>()
    const { server, port: chosen } = await listen(port, waitAt(gate), descriptor)
    server.maxConnections = connectionLimit()
    return new ApiServer(chosen, { server, gate })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get descriptor(): number {
    return descriptorOf(this.#server)
  }

  serve(create: CreateListener): void {
    this.#create = create
    this.#gate.resolve(create(this.#closing.signal))
  }

  /** Refuses new requests and ends streams. Resolves when running requests have been answered, or aborted after `graceMs`. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#closing.abort()
    await closeServer(this.#server, graceMs)
  }

  /** Serves again after `close`. */
  async reopen(): Promise<void> {
    const gate = Promise.withResolvers<RequestListener>()
    this.#closing = new AbortController()
    this.#gate = gate
    this.#server = (await listen(this.port, waitAt(gate))).server
    this.#server.maxConnections = connectionLimit()
    if (this.#create) this.serve(this.#create)
  }
}

/** Serves the app and reports activity to `IdleMemory`. */
export function listenerOf(
  app: { fetch: Parameters<typeof getRequestListener>[0] },
  memory: IdleMemory,
): RequestListener {
  const serve = getRequestListener(app.fetch, { errorHandler: answerMalformed })
  memory.touched()
  return (request, response) => {
    memory.touched()
    return serve(request, response)
  }
}

function waitAt({ promise }: PromiseWithResolvers<RequestListener>): RequestListener {
  return (request, response) => void promise.then(serve => serve(request, response))
}

/** Node accepts a descriptor in `server.listen({fd})`, but has no public way to read a server's descriptor. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd
}
