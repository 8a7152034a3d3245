import { HostingError } from '../../../shared/errors.ts'
import { randomText } from '../../../shared/ids.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import { toSubdomainLabel } from '../../../shared/names.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Store } from '../../store/store.ts'
import type { Address, Slot } from '../../store/tables/addresses.ts'

/**
 * Addresses of servers. Each slot of a server gets its port once and keeps it. Its listener is open while something serves
 * there, so that stopped servers refuse connections.
 */
export class Addresses {
  readonly #store: Store
  readonly #gateway: Gateway
  readonly #queue = new KeyedQueue()

  constructor(store: Store, gateway: Gateway) {
    this.#store = store
    this.#gateway = gateway
  }

  find(server: string, slot: Slot): Address | undefined {
    return this.#store.addresses.find(server, slot)
  }

  /** False while nothing serves there. */
  isOpen({ server, slot }: Address): boolean {
    return this.#gateway.isOpen(addressId(server, slot))
  }

  /**
   * Opens the listener. The first time, also chooses the port and the subdomain. Throws CONFLICT when another program holds
   * the port. With `waits`, first gives processes of a killed daemon time to release it.
   */
  open(server: string, slot: Slot, { waits = true } = {}): Promise<Address> {
    const id = addressId(server, slot)
    return this.#queue.run(id, async () => {
      const known = this.#store.addresses.find(server, slot)
      if (!known) return this.#choose(id, server, slot)
      await this.#gateway.open(id, known.port, { waits })
      return known
    })
  }

  /** Sends new connections to `servedId`. The listener must be open. */
  point(server: string, slot: Slot, servedId: string): void {
    this.#gateway.point(addressId(server, slot), servedId)
  }

  /** Refuses new connections, unless `isNeeded` returns true because the address is in use again. */
  close(server: string, slot: Slot, isNeeded: () => boolean): Promise<void> {
    const id = addressId(server, slot)
    return this.#queue.run(id, async () => {
      if (!isNeeded()) await this.#gateway.close(id)
    })
  }

  async #choose(id: string, server: string, slot: Slot): Promise<Address> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const port = await this.#gateway.open(id)
      // A free port may belong to a stopped server.
      if (!this.#store.addresses.isPortTaken(port)) {
        const address = { server, slot, port, subdomain: this.#chooseSubdomain(server, slot) }
        this.#store.addresses.create(address)
        return address
      }
      await this.#gateway.close(id)
    }
    throw new HostingError('UNAVAILABLE', `There is no free port for the ${slot} address of "${server}".`)
  }

  #chooseSubdomain(server: string, slot: Slot): string | null {
    if (slot === 'preview') return null
    const plain = subdomainOf(server, slot)
    // Different names can have the same label ("a.b" and "a-b").
    const isTaken = this.#store.addresses.findBySubdomain(plain) ?? this.#store.mappings.find(plain)
    return isTaken ? withSuffix(plain, randomText(6)) : plain
  }
}

/** Whether `Addresses.open` failed because another program uses the port. */
export function isPortConflict(error: unknown): boolean {
  return error instanceof HostingError && error.code === 'CONFLICT'
}

/** Public MCP endpoint of an address. */
export function mcpUrl(address: Address): string {
  return `http://127.0.0.1:${address.port}/mcp`
}

export function healthUrl(address: Address): string {
  return `http://127.0.0.1:${address.port}/health`
}

function addressId(server: string, slot: Slot): string {
  return `${server}/${slot}`
}

function subdomainOf(server: string, slot: Slot): string {
  const label = toSubdomainLabel(server)
  if (slot === 'production') return label
  return withSuffix(label, slot === 'staging' ? randomText(6) : 'dev')
}

/** Appends the suffix and shortens the label, so that both fit into a DNS label of 63 characters (RFC 1035 2.3.4). */
function withSuffix(label: string, suffix: string): string {
  return `${label.slice(0, 62 - suffix.length)}-${suffix}`
}
