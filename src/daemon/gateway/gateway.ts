import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import { refuseConnection } from '../runtime/pool/unavailable.ts'
import type { ShareableSocket } from '../runtime/process/socket-lease.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import type { Acceptor, Listener } from './listener.ts'
import { oncePerMinute } from './once-per-minute.ts'
import { listenOnFreePort, listenOnPort } from './ports.ts'

export interface GatewayOptions {
  /** Takes an accepted, unread connection. See `Supervisor.connect`. */
  connect(servedId: string, socket: Socket): void
  /** Called during a burst of connections. See `Supervisor.shareSocket`. */
  shareSocket?(servedId: string, socket: ShareableSocket): void
  /** A connection could not be accepted, for example because of ENOBUFS. Called at most once a minute. */
  onAcceptError?(error: Error): void
  /** Listening sockets of the previous daemon. */
  inherited?: InheritedSockets | undefined
}

/** The loopback ports of all servers. Accepts connections and passes them on unread. */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #listeners = new Map<string, Listener>()
  readonly #acceptor: Acceptor
  #closed = false

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#acceptor = {
      accept: (socket, { servedId }) => this.#accept(servedId, socket),
      onBurst: listener => this.#shareSocket(listener),
      onAcceptError: oncePerMinute(options.onAcceptError),
    }
  }

  /**
   * Opens an address on the given port, or on a free one (20000 to 31999, then 12000 to 19999). Returns the port, even if the
   * address is already open. Throws CONFLICT when another program holds the port (immediately without `waits`) or no port is
   * free, and UNAVAILABLE after `closeAll`.
   */
  async open(addressId: string, port?: number, { waits = true } = {}): Promise<number> {
    const open = this.#listeners.get(addressId)
    if (open) return open.port
    const listener =
      port === undefined
        ? await listenOnFreePort(this.#acceptor)
        : await listenOnPort(port, this.#acceptor, { inherited: this.#options.inherited, waits })
    if (this.#closed) {
      listener.close()
      throw new HostingError('UNAVAILABLE', 'The daemon is stopping and opens no more addresses.')
    }
    this.#listeners.set(addressId, listener)
    return listener.port
  }

  isOpen(addressId: string): boolean {
    return this.#listeners.has(addressId)
  }

  /** File descriptors of all listening sockets, by port. */
  sockets(): InheritedSockets {
    const sockets: InheritedSockets = new Map()
    for (const listener of this.#listeners.values()) {
      const { descriptor } = listener
      if (descriptor !== undefined) sockets.set(listener.port, descriptor)
    }
    return sockets
  }

  /** Routes new connections at this address to a server. Null: answers them with 503. */
  point(addressId: string, servedId: string | null): void {
    const listener = this.#listeners.get(addressId)
    if (!listener || listener.servedId === servedId) return
    listener.servedId = servedId
    listener.recall()
  }

  /** Closes the address to new connections. Connections that were handed over stay open. */
  async close(addressId: string): Promise<void> {
    const listener = this.#listeners.get(addressId)
    this.#listeners.delete(addressId)
    listener?.close()
  }

  /** Permanently closes all addresses, including those that are still being opened. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#listeners.keys()].map(id => this.close(id)))
  }

  #shareSocket(listener: Listener): void {
    if (listener.servedId) this.#options.shareSocket?.(listener.servedId, listener)
  }

  #accept(servedId: string | null, socket: Socket): void {
    if (servedId) this.#options.connect(servedId, socket)
    else refuseConnection(socket, { message: 'No server is running at this address.', retryAfterSeconds: 5 })
  }
}
