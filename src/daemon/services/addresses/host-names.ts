import type { PublicListeners } from '../../gateway/public-listeners.ts'
import type { Store } from '../../store/store.ts'
import type { Address, Slot } from '../../store/tables/addresses.ts'
import type { Deployment } from '../../store/tables/deployments.ts'

/** Names with this suffix resolve to loopback (RFC 6761 section 6.3). */
const LOCAL = '.localhost'

/** Finds deployments by host name. */
export class HostNames {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Id of the deployment with this host name. For a known name without a live deployment, an id that serves nothing. Undefined
   * for an unknown name. `hostname` is in lower case and without a port.
   */
  resolve(hostname: string): string | undefined {
    if (!hostname.endsWith(LOCAL)) return this.#store.deployments.findByDomain(hostname)?.id
    const target = this.#findTarget(hostname.slice(0, -LOCAL.length))
    if (!target || target.slot === 'preview') return undefined
    return (
      this.#store.deployments.findLive(target.server, target.slot)?.id ?? `${target.server}/${target.slot}`
    )
  }

  /** Every name that `resolve` knows, sorted. */
  list(): string[] {
    const { mappings, addresses, deployments } = this.#store
    const subdomains = [...mappings.subdomains(), ...addresses.subdomains()]
    return [...new Set([...subdomains.map(localName), ...deployments.domains()])].toSorted()
  }

  #findTarget(subdomain: string): { server: string; slot: Slot } | undefined {
    const mapping = this.#store.mappings.find(subdomain)
    if (mapping) return { server: mapping.server, slot: mapping.environment }
    return this.#store.addresses.findBySubdomain(subdomain)
  }
}

/** `weather` → `weather.localhost` */
export function localName(subdomain: string): string {
  return `${subdomain}${LOCAL}`
}

/** MCP endpoints by host name. The custom domain comes first. */
export function namedUrls(
  { publicListeners }: { publicListeners: PublicListeners },
  { domain }: Deployment,
  address: Address | undefined,
): string[] {
  const names = [domain, address?.subdomain && localName(address.subdomain)].filter(Boolean) as string[]
  return names
    .map(name => publicListeners.urls(name))
    .flatMap(({ url, secureUrl }) => [url, secureUrl])
    .filter(Boolean)
}
