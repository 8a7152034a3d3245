import type { Socket } from 'node:net'
import { HostingError } from '../../shared/errors.ts'
import type { LendableSocket } from '../runtime/loan.ts'
import { refuseConnection } from '../runtime/unavailable.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import type { Acceptor, Listener } from './listener.ts'
import { listenOnFreePort, listenOnPort } from './ports.ts'

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

const ACCEPT_ERROR_EVERY_MS = 60_000

/** One address: a listener, and what it points to. */
interface Address {
  listener: Listener
  servedId: string | null
}

/** The loopback ports of all servers. It accepts connections and passes them on; their bytes never come here. */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #addresses = new Map<string, Address>()
  #acceptErrorAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  /**
   * Listens for an address, on the given port or on a free one between 20000 and 31999 (12000 when these are taken), and returns the port; an open
   * address stays as it is. Throws CONFLICT when another program holds the given port (at once unless it `waits`), UNAVAILABLE
   * once all are closed.
   */
  async open(addressId: string, port?: number, { waits = true } = {}): Promise<number> {
    const open = this.#addresses.get(addressId)
    if (open) return open.listener.port
    const acceptor: Acceptor = {
      accept: socket => this.#accept(addressId, socket),
      onRush: socket => this.#lend(addressId, socket),
      onAcceptError: error => this.#tellAcceptError(error),
    }
    const listener =
      port === undefined
        ? await listenOnFreePort(acceptor)
        : await listenOnPort(port, acceptor, { inherited: this.#options.inherited, waits })
    if (this.#closed) {
      listener.close()
      throw new HostingError('UNAVAILABLE', 'The daemon is stopping; it opens no more addresses.')
    }
    this.#addresses.set(addressId, { listener, servedId: null })
    return listener.port
  }

  /** What all addresses listen on: descriptors by port. */
  sockets(): InheritedSockets {
    const sockets: InheritedSockets = new Map()
    for (const { listener } of this.#addresses.values()) {
      const { descriptor } = listener
      if (descriptor !== undefined) sockets.set(listener.port, descriptor)
    }
    return sockets
  }

  /** From the next connection on, the address leads there; null: every connection is answered with 503. */
  point(addressId: string, servedId: string | null): void {
    const address = this.#addresses.get(addressId)
    if (!address || address.servedId === servedId) return
    address.servedId = servedId
    address.listener.recall()
  }

  /** Refuses connections from now on; those handed over live on. */
  async close(addressId: string): Promise<void> {
    const address = this.#addresses.get(addressId)
    this.#addresses.delete(addressId)
    address?.listener.close()
  }

  /** For good: what is being opened meanwhile is closed again. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#addresses.keys()].map(id => this.close(id)))
  }

  #tellAcceptError(error: Error): void {
    const now = performance.now()
    if (now - this.#acceptErrorAt < ACCEPT_ERROR_EVERY_MS) return
    this.#acceptErrorAt = now
    this.#options.onAcceptError?.(error)
  }

  #lend(addressId: string, socket: LendableSocket): void {
    const servedId = this.#addresses.get(addressId)?.servedId
    if (servedId) this.#options.lend?.(servedId, socket)
  }

  #accept(addressId: string, socket: Socket): void {
    const servedId = this.#addresses.get(addressId)?.servedId
    if (servedId) this.#options.connect(servedId, socket)
    else refuseConnection(socket, { message: 'No server is running at this address.', retryAfterSeconds: 5 })
  }
}
