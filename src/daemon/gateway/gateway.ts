import type { Socket } from 'node:net'
import { refuseConnection } from '../runtime/unavailable.ts'
import type { Listener } from './listener.ts'
import { listenOnFreePort, listenOnPort } from './ports.ts'

export interface GatewayOptions {
  /** Takes an accepted, unread connection for what is served; see `Supervisor.connect`. */
  connect(servedId: string, socket: Socket): void
}

/** One address: a listener, and what it points to. */
interface Address {
  listener: Listener
  servedId: string | null
}

/** The loopback ports of all servers. It accepts connections and passes them on; their bytes never come here. */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #addresses = new Map<string, Address>()

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  /**
   * Listens for an address, on the given port or on a free one between 20000 and 31999, and returns the port; an open
   * address stays as it is. Throws CONFLICT when another program holds the given port.
   */
  async open(addressId: string, port?: number): Promise<number> {
    const open = this.#addresses.get(addressId)
    if (open) return open.listener.port
    const accept = (socket: Socket) => this.#accept(addressId, socket)
    const listener = port === undefined ? await listenOnFreePort(accept) : await listenOnPort(port, accept)
    this.#addresses.set(addressId, { listener, servedId: null })
    return listener.port
  }

  /** From the next connection on, the address leads there; null: every connection is answered with 503. */
  point(addressId: string, servedId: string | null): void {
    const address = this.#addresses.get(addressId)
    if (address) address.servedId = servedId
  }

  /** Refuses connections from now on; those handed over live on. */
  async close(addressId: string): Promise<void> {
    const address = this.#addresses.get(addressId)
    this.#addresses.delete(addressId)
    address?.listener.close()
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#addresses.keys()].map(id => this.close(id)))
  }

  #accept(addressId: string, socket: Socket): void {
    const servedId = this.#addresses.get(addressId)?.servedId
    if (servedId) this.#options.connect(servedId, socket)
    else refuseConnection(socket, { message: 'No server is running at this address.', retryAfterSeconds: 5 })
  }
}
