import type { Address, Slot } from '../store/addresses.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Store } from '../store/store.ts'
import type { Rooms } from './rooms.ts'

/** Everything below it is loopback (RFC 6761 section 6.3). */
const LOCAL = '.localhost'

/** What the named gateway asks: which deployment has a host name. */
export class HostNames {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * The id of the deployment that answers; of one that does not serve where the name is known and nothing is live.
   * Undefined for a name that nobody has. `hostname`: lower case, without a port.
   */
  resolve(hostname: string): string | undefined {
    if (!hostname.endsWith(LOCAL)) return this.#store.deployments.findByDomain(hostname)?.id
    const place = this.#findPlace(hostname.slice(0, -LOCAL.length))
    if (!place || place.slot === 'preview') return undefined
    return this.#store.deployments.findLive(place.server, place.slot)?.id ?? `${place.server}/${place.slot}`
  }

  #findPlace(subdomain: string): { server: string; slot: Slot } | undefined {
    const mapping = this.#store.mappings.find(subdomain)
    if (mapping) return { server: mapping.server, slot: mapping.environment }
    return this.#store.addresses.findBySubdomain(subdomain)
  }
}

/** `weather` → `weather.localhost` */
export function localName(subdomain: string): string {
  return `${subdomain}${LOCAL}`
}

/** MCP endpoints by name, the custom domain's first. */
export function namedUrls(
  { frontDoors }: Pick<Rooms, 'frontDoors'>,
  { domain }: Deployment,
  address: Address | undefined,
): string[] {
  const names = [domain, address?.subdomain && localName(address.subdomain)].filter(Boolean) as string[]
  return names
    .map(name => frontDoors.urls(name))
    .flatMap(({ url, secureUrl }) => [url, secureUrl])
    .filter(Boolean)
}
