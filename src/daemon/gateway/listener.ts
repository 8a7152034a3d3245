import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { ShareableSocket, SocketHandle } from '../runtime/process/socket-lease.ts'
import { BurstDetector } from './burst-detector.ts'
import { descriptorOf, type InheritedSockets, listenOptions } from './inherited-sockets.ts'

/** Number of connections that may wait while the daemon is busy. The kernel may cap the number (net.core.somaxconn). */
const BACKLOG = 1024

/** One object for all listeners, of which there are thousands. */
export interface Acceptor {
  /** Takes an accepted, unread connection. */
  accept(socket: Socket, listener: Listener): void
  /** Connections arrive so fast that the instance should accept them itself. Called repeatedly during a burst. */
  onBurst?(listener: Listener): void
  /** A connection could not be accepted, for example because of ENOBUFS. On EMFILE, libuv drops connections silently. */
  onAcceptError(error: Error): void
}

const LISTENER = Symbol('listener')
type OwnedServer = Server & { [LISTENER]?: Listener }

/** A listening socket on 127.0.0.1 that accepts connections without reading from them, unless an instance leases it. */
export class Listener implements ShareableSocket {
  static readonly #ports = new Set<number>()
  readonly port: number
  /** Server that receives the connections. */
  servedId: string | null = null
  readonly #acceptor: Acceptor
  #burst: BurstDetector | undefined
  #server: Server | undefined
  #kept: SocketHandle | undefined
  #lease: { end(): void } | undefined

  private constructor(server: Server, acceptor: Acceptor) {
    this.#acceptor = acceptor
    this.port = (server.address() as { port: number }).port
    Listener.#ports.add(this.port)
    this.#accept(server)
  }

  /** Rejects with the system's error, for example EADDRINUSE. `inherited`: used if it has a socket for the port. */
  static async open(port: number, acceptor: Acceptor, inherited?: InheritedSockets): Promise<Listener> {
    const server = createPausedServer()
    server.listen({ ...listenOptions(port, inherited), backlog: BACKLOG })
    await once(server, 'listening')
    return new Listener(server, acceptor)
  }

  /** True when this process holds the port, including while the socket is leased. Makes no system call. */
  static holds(port: number): boolean {
    return Listener.#ports.has(port)
  }

  /** File descriptor for another process to inherit. Ends a lease. */
  get descriptor(): number | undefined {
    this.recall()
    return descriptorOf(this.#server)
  }

  offer(lease: { end(): void }): SocketHandle | undefined {
    if (this.#lease) return undefined
    // Node has no public API for the handle. The cluster module sends this handle (lib/internal/cluster/shared_handle.js).
    const handle = (this.#server as { _handle?: SocketHandle } | undefined)?._handle
    if (handle) this.#lease = lease
    return handle
  }

  onLeased(kept: SocketHandle): void {
    this.#kept = kept
    this.#server?.close()
    this.#server = undefined
  }

  reclaim(): void {
    this.#lease = undefined
    if (!this.#kept) return
    const server = createPausedServer()
    server.listen(this.#kept, BACKLOG)
    this.#kept = undefined
    this.#accept(server)
  }

  /** Ends a lease, so that the daemon accepts new connections again. */
  recall(): void {
    this.#lease?.end()
  }

  /** Frees the port immediately. Accepted connections stay open. */
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

  /** @internal */
  take(socket: Socket): void {
    this.#acceptor.accept(socket, this)
    this.#burst ??= new BurstDetector()
    if (this.#burst.count()) this.#acceptor.onBurst?.(this)
  }
}

function onConnection(this: OwnedServer, socket: Socket): void {
  this[LISTENER]?.take(socket)
}

/**
 * `pauseOnConnect`: bytes read here would be lost to the instance. TCP_NODELAY keeps small responses from waiting for each
 * other, and SO_KEEPALIVE detects clients that disappeared. Both options stay with the socket when it is handed over.
 */
function createPausedServer(): Server {
  return createServer({
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  })
}
