import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { LendableSocket, SocketHandle } from '../runtime/loan.ts'
import { descriptorOf, type InheritedSockets, whereTo } from './inherited-sockets.ts'
import { Rush } from './rush.ts'

/** Accepted connections wait here while the daemon is busy; the kernel may cap it (net.core.somaxconn). */
const BACKLOG = 1024

/** The same for all listeners, of which there are thousands. */
export interface Acceptor {
  /** Takes an accepted, unread connection. */
  accept(socket: Socket, listener: Listener): void
  /** Connections come so fast that the instance had better accept them itself; told again while they do. */
  onRush?(listener: Listener): void
  /** One connection could not be accepted, for example ENOBUFS; the next one may. On EMFILE libuv drops it silently. */
  onAcceptError(error: Error): void
}

const LISTENER = Symbol('listener')
type OwnedServer = Server & { [LISTENER]?: Listener }

/** A listening socket on 127.0.0.1 that accepts connections without reading from them, unless it is lent. */
export class Listener implements LendableSocket {
  static readonly #ports = new Set<number>()
  readonly port: number
  /** What its connections are for. */
  servedId: string | null = null
  readonly #acceptor: Acceptor
  #rush: Rush | undefined
  #server: Server | undefined
  #kept: SocketHandle | undefined
  #loan: { end(): void } | undefined

  private constructor(server: Server, acceptor: Acceptor) {
    this.#acceptor = acceptor
    this.port = (server.address() as { port: number }).port
    Listener.#ports.add(this.port)
    this.#accept(server)
  }

  /** Rejects with the system's error, for example EADDRINUSE. `inherited`: may hold a socket that listens there already. */
  static async open(port: number, acceptor: Acceptor, inherited?: InheritedSockets): Promise<Listener> {
    const server = createPausedServer()
    server.listen({ ...whereTo(port, inherited), backlog: BACKLOG })
    await once(server, 'listening')
    return new Listener(server, acceptor)
  }

  /** Whether this process holds the port: known without asking the system, also while the socket is lent. */
  static holds(port: number): boolean {
    return Listener.#ports.has(port)
  }

  /** Of the socket, which another process may inherit; a loan of it ends. */
  get descriptor(): number | undefined {
    this.recall()
    return descriptorOf(this.#server)
  }

  offer(loan: { end(): void }): SocketHandle | undefined {
    if (this.#loan) return undefined
    // Node has no public name for it; the cluster module sends the same (lib/internal/cluster/shared_handle.js).
    const handle = (this.#server as { _handle?: SocketHandle } | undefined)?._handle
    if (handle) this.#loan = loan
    return handle
  }

  lent(kept: SocketHandle): void {
    this.#kept = kept
    this.#server?.close()
    this.#server = undefined
  }

  takeBack(): void {
    this.#loan = undefined
    if (!this.#kept) return
    const server = createPausedServer()
    server.listen(this.#kept, BACKLOG)
    this.#kept = undefined
    this.#accept(server)
  }

  /** From the next connection on, all come here: a loan ends. */
  recall(): void {
    this.#loan?.end()
  }

  /** Frees the port at once; connections that were accepted live on. */
  close(): void {
    this.recall()
    this.#server?.close()
    this.#server = undefined
    Listener.#ports.delete(this.port)
  }

  #accept(server: OwnedServer): void {
    this.#server = server
    server[LISTENER] = this
    server.on('connection', onConnection)
    server.on('error', this.#acceptor.onAcceptError)
  }

  /** @internal Of its server. */
  take(socket: Socket): void {
    this.#acceptor.accept(socket, this)
    this.#rush ??= new Rush()
    if (this.#rush.isOn()) this.#acceptor.onRush?.(this)
  }
}

function onConnection(this: OwnedServer, socket: Socket): void {
  this[LISTENER]?.take(socket)
}

/**
 * `pauseOnConnect`: a byte read here would be lost to the instance. Small answers must not wait for each other
 * (TCP_NODELAY), and a client that vanished must be noticed some day (SO_KEEPALIVE): both belong to the socket, so they
 * stay when it is handed over.
 */
function createPausedServer(): Server {
  return createServer({
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  })
}
