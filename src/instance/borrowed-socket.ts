import { createServer, type Server, type Socket } from 'node:net'
import type { FromInstance } from '../shared/instance-protocol.ts'

export interface BorrowedSocketOptions {
  loanId: number
  /** Takes an accepted connection. */
  accept(socket: Socket): void
  send(message: FromInstance, handle?: unknown): void
}

const REPORT_EVERY_MS = 250
const BACKLOG = 1024

/** Accepts from a listening socket of the daemon's, tells how many it took, and gives it back when asked. */
export class BorrowedSocket {
  readonly #server: Server
  #report: NodeJS.Timeout
  #accepted = 0

  constructor(handle: unknown, { loanId, accept, send }: BorrowedSocketOptions) {
    // What the daemon's own listener sets (gateway/listener.ts): an accepted connection is like one handed over.
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, socket => {
      this.#accepted++
      accept(socket)
    })
    // A connection that cannot be accepted, for want of descriptors say, stays in the queue for a better time.
    this.#server.on('error', () => {})
    this.#server.listen(handle, BACKLOG)
    send({ type: 'borrowed', loanId }, handle)
    this.#report = setInterval(() => {
      send({ type: 'accepted', loanId, count: this.#accepted })
      this.#accepted = 0
    }, REPORT_EVERY_MS)
  }

  giveBack(): void {
    clearInterval(this.#report)
    this.#server.close()
  }
}
