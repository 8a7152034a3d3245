import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import type { LendableSocket } from '../runtime/loan.ts'
import { refuseConnection } from '../runtime/unavailable.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import type { Acceptor, Listener } from './listener.ts'
import { listenOnFreePort, listenOnPort } from './ports.ts'
import { rarely } from './rarely.ts'

export interface GatewayOptions {
  /** Takes an accepted, unread connection for what is served; see `Supervisor.connect`. */
  connect(servedId: string, socket: Socket): void
  /** Connections come in a rush; see `Supervisor.lend`. */
  lend?(servedId: string, socket: LendableSocket): void
  /** A connection could not be accepted, for example ENOBUFS; told at most once a minute, however many there are. */
  onAcceptError?(error: Error): void
  /** Of the daemon before this one. */
  inherited?: InheritedSockets | undefined
}

/** The loopback ports of all servers. It accepts connections and passes them on; their bytes never come here. */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #listeners = new Map<string, Listener>()
  readonly #acceptor: Acceptor
  #closed = false

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#acceptor = {
      accept: (socket, { servedId }) => this.#accept(servedId, socket),
      onRush: listener => this.#lend(listener),
      onAcceptError: rarely(options.onAcceptError),
    }
  }

  /**
   * Listens for an address, on the given port or on a free one between 20000 and 31999 (12000 when these are taken), and returns the port; an open
   * address stays as it is. Throws CONFLICT when another program holds the given port (at once unless it `waits`), UNAVAILABLE
   * once all are closed.
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
      throw new HostingError('UNAVAILABLE', 'The daemon is stopping; it opens no more addresses.')
    }
    this.#listeners.set(addressId, listener)
    return listener.port
  }

  /** What all addresses listen on: descriptors by port. */
  sockets(): InheritedSockets {
    const sockets: InheritedSockets = new Map()
    for (const listener of this.#listeners.values()) {
      const { descriptor } = listener
      if (descriptor !== undefined) sockets.set(listener.port, descriptor)
    }
    return sockets
  }

  /** From the next connection on, the address leads there; null: every connection is answered with 503. */
  point(addressId: string, servedId: string | null): void {
    const listener = this.#listeners.get(addressId)
    if (!listener || listener.servedId === servedId) return
    listener.servedId = servedId
    listener.recall()
  }

  /** Refuses connections from now on; those handed over live on. */
  async close(addressId: string): Promise<void> {
    const listener = this.#listeners.get(addressId)
    this.#listeners.delete(addressId)
    listener?.close()
  }

  /** For good: what is being opened meanwhile is closed again. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#listeners.keys()].map(id => this.close(id)))
  }

  #lend(listener: Listener): void {
    if (listener.servedId) this.#options.lend?.(listener.servedId, listener)
  }

  #accept(servedId: string | null, socket: Socket): void {
    if (servedId) this.#options.connect(servedId, socket)
    else refuseConnection(socket, { message: 'No server is running at this address.', retryAfterSeconds: 5 })
  }
}
