import { HostingError } from '../../shared/errors.ts'
import { randomText } from '../../shared/ids.ts'
import { toSubdomainLabel } from '../../shared/names.ts'
import { Turns } from '../../shared/turns.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Address, Slot } from '../store/addresses.ts'
import type { Store } from '../store/store.ts'

/**
 * Where servers are reached. A (server, slot) gets its port once and keeps it; its listener is open while something
 * serves there, so that what is stopped refuses connections.
 */
export class Addresses {
  readonly #store: Store
  readonly #gateway: Gateway
  readonly #turns = new Turns()

  constructor(store: Store, gateway: Gateway) {
    this.#store = store
    this.#gateway = gateway
  }

  /** The address of a slot that has been served or is about to be. */
  find(server: string, slot: Slot): Address | undefined {
    return this.#store.addresses.find(server, slot)
  }

  /**
   * Opens the listener; the first time it also chooses the port and the subdomain. Throws CONFLICT when another program
   * holds the port: at once unless it `waits`, or else when a process of a killed daemon's would have let go of it.
   */
  open(server: string, slot: Slot, { waits = true } = {}): Promise<Address> {
    const id = addressId(server, slot)
    return this.#turns.take(id, async () => {
      const known = this.#store.addresses.find(server, slot)
      if (!known) return this.#choose(id, server, slot)
      await this.#gateway.open(id, known.port, { waits })
      return known
    })
  }

  /** New connections go to `servedId` from now on; the listener must be open. */
  point(server: string, slot: Slot, servedId: string): void {
    this.#gateway.point(addressId(server, slot), servedId)
  }

  /** From now on connections are refused, unless somebody came to need the address before its turn. */
  close(server: string, slot: Slot, isNeeded: () => boolean): Promise<void> {
    const id = addressId(server, slot)
    return this.#turns.take(id, async () => {
      if (!isNeeded()) await this.#gateway.close(id)
    })
  }

  async #choose(id: string, server: string, slot: Slot): Promise<Address> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const port = await this.#gateway.open(id)
      // Free at this moment, but kept for a stopped server?
      if (!this.#store.addresses.portTaken(port)) {
        const address = { server, slot, port, subdomain: this.#chooseSubdomain(server, slot) }
        this.#store.addresses.create(address)
        return address
      }
      await this.#gateway.close(id)
    }
    throw new HostingError('UNAVAILABLE', `No free port was found for the ${slot} address of "${server}".`)
  }

  #chooseSubdomain(server: string, slot: Slot): string | null {
    if (slot === 'preview') return null
    const plain = subdomainOf(server, slot)
    // Different names may make the same label ("a.b" and "a-b").
    const isTaken = this.#store.addresses.findBySubdomain(plain) ?? this.#store.mappings.find(plain)
    return isTaken ? withSuffix(plain, randomText(6)) : plain
  }
}

/** What opening the address of a known server throws when its port is taken. */
export function isHeld(error: unknown): boolean {
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

/** A DNS label has 63 characters at most (RFC 1035 2.3.4). */
function withSuffix(label: string, suffix: string): string {
  return `${label.slice(0, 62 - suffix.length)}-${suffix}`
}
