import type { RequestListener, Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { IdleMemory } from '../shared/idle-memory.ts'
import { answerMalformed } from './http/error-envelope.ts'
import { closeServer, listen } from './http/listen.ts'

const CLOSE_GRACE_MS = 2000

/** Makes the API; streams that follow something end when the signal aborts. */
export type CreateListener = (closing: AbortSignal) => RequestListener

/** The port of the API. What comes before `serve` waits. */
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

  /** 0 picks a port; `descriptor`: of a socket that listens on it already. Throws CONFLICT for a port that is taken. */
  static async open(port: number, descriptor?: number): Promise<ApiServer> {
    const gate = Promise.withResolvers<RequestListener>()
    const { server, port: chosen } = await listen(port, waitAt(gate), descriptor)
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

  /** Takes no more requests and ends streams; resolves when what was asked is answered, or was cut. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#closing.abort()
    await closeServer(this.#server, graceMs)
  }

  /** After `close`: as before. */
  async reopen(): Promise<void> {
    const gate = Promise.withResolvers<RequestListener>()
    this.#closing = new AbortController()
    this.#gate = gate
    this.#server = (await listen(this.port, waitAt(gate))).server
    if (this.#create) this.serve(this.#create)
  }
}

/** Answers requests, and tells that there are some. */
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

/** Node has no public name for it, but takes it: `server.listen({fd})`. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd
}
