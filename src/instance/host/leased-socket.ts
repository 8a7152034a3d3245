import { createServer, type Server, type Socket } from 'node:net'
import type { FromInstance } from '../../shared/instances/instance-protocol.ts'

export interface LeasedSocketOptions {
  leaseId: number
  /** Receives each accepted connection. */
  accept(socket: Socket): void
  send(message: FromInstance, handle?: unknown): void
}

const REPORT_EVERY_MS = 250
const BACKLOG = 1024

/** Accepts connections on a listening socket that the daemon shares, and reports their number. */
export class LeasedSocket {
  readonly #server: Server
  #report: NodeJS.Timeout
  #accepted = 0

  constructor(handle: unknown, { leaseId, accept, send }: LeasedSocketOptions) {
    // Same options as the daemon's own listener (gateway/listener.ts).
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, socket => {
      this.#accepted++
      accept(socket)
    })
    // A connection that cannot be accepted, for example because descriptors ran out, stays in the queue.
    this.#server.on('error', () => {})
    this.#server.listen(handle, BACKLOG)
    send({ type: 'borrowed', leaseId }, handle)
    this.#report = setInterval(() => {
      send({ type: 'accepted', leaseId, count: this.#accepted })
      this.#accepted = 0
    }, REPORT_EVERY_MS)
  }

  close(): void {
    clearInterval(this.#report)
    this.#server.close()
  }
}
