import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** Accepted connections wait here while the daemon is busy; the kernel may cap it (net.core.somaxconn). */
const BACKLOG = 1024

export interface Acceptor {
  /** Takes an accepted, unread connection. */
  accept(socket: Socket): void
  /** One connection could not be accepted, for example ENOBUFS; the next one may. On EMFILE libuv drops it silently. */
  onAcceptError(error: Error): void
}

/** A listening socket on 127.0.0.1 that accepts connections without reading from them. */
export class Listener {
  readonly port: number
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as { port: number }).port
  }

  /** Rejects with the system's error, for example EADDRINUSE. */
  static async open(port: number, { accept, onAcceptError }: Acceptor): Promise<Listener> {
    // `pauseOnConnect`: a byte read here would be lost to the instance. Small answers must not wait for each other
    // (TCP_NODELAY), and a client that vanished must be noticed some day (SO_KEEPALIVE): both belong to the socket, so
    // they stay when it is handed over.
    const server = createServer({
      pauseOnConnect: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    })
    server.on('connection', accept)
    server.listen({ port, host: '127.0.0.1', backlog: BACKLOG, exclusive: true })
    await once(server, 'listening')
    server.on('error', onAcceptError)
    return new Listener(server)
  }

  /** Frees the port at once; connections that were accepted live on. */
  close(): void {
    this.#server.close()
  }
}
