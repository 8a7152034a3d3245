import { HostingError } from '../../shared/errors.ts'
import type { MappingRecord } from '../../shared/mappings.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Mapping } from '../store/mappings.ts'
import type { Deployments } from './deployments.ts'
import { localName } from './host-names.ts'
import type { Rooms } from './rooms.ts'

/** Subdomains that users gave to deployments; each follows the releases of its server's environment. */
export class Mappings {
  readonly #rooms: Rooms
  readonly #deployments: Deployments

  constructor(rooms: Rooms, deployments: Deployments) {
    this.#rooms = rooms
    this.#deployments = deployments
  }

  list(limit: number, cursor?: string): { items: MappingRecord[]; nextToken: string | null } {
    const { items, nextCursor } = this.#rooms.store.mappings.list(limit, cursor)
    return { items: items.map(mapping => this.#record(mapping)), nextToken: nextCursor }
  }

  find(subdomain: string): MappingRecord | undefined {
    const mapping = this.#rooms.store.mappings.find(subdomain)
    return mapping && this.#record(mapping)
  }

  /** Throws NOT_FOUND, also for a generated subdomain. */
  get(subdomain: string): MappingRecord {
    return this.find(subdomain) ?? notMapped(`No mapping has the subdomain "${subdomain}".`)
  }

  /** Makes it or leads it elsewhere. Throws NOT_FOUND, and CONFLICT for the generated subdomain of another address. */
  put(subdomain: string, deploymentId: string): MappingRecord {
    const { store, clock } = this.#rooms
    const { name, environment } = this.#deployments.get(deploymentId)
    const owner = store.addresses.findBySubdomain(subdomain)
    if (owner && (owner.server !== name || owner.slot !== environment))
      throw new HostingError(
        'CONFLICT',
        `The subdomain "${subdomain}" belongs to the ${owner.slot} address of "${owner.server}".`,
        { details: 'Choose another one, or remove that server.' },
      )
    store.mappings.put({ subdomain, server: name, environment, updatedAt: clock.now() })
    return this.#record(store.mappings.find(subdomain)!)
  }

  /** Also of a generated subdomain, the one that a deployment's status shows. Throws NOT_FOUND. */
  remove(subdomain: string): void {
    const { store } = this.#rooms
    const isRemoved = store.transaction(() => {
      const wasMapped = store.mappings.remove(subdomain)
      return store.addresses.removeSubdomain(subdomain) || wasMapped
    })
    if (!isRemoved) notMapped(`The subdomain "${subdomain}" leads to no deployment.`)
  }

  #record({ subdomain, server, environment, createdAt, updatedAt }: Mapping): MappingRecord {
    const deployment = this.#current(server, environment)
    const { url, secureUrl } = this.#rooms.frontDoors.urls(localName(subdomain))
    return {
      subdomain,
      deploymentId: deployment?.id ?? null,
      status: deployment?.status ?? null,
      server,
      environment,
      url,
      secureUrl,
      createdAt,
      updatedAt,
    }
  }

  #current(server: string, environment: Mapping['environment']): Deployment | undefined {
    const { deployments } = this.#rooms.store
    return deployments.findLive(server, environment) ?? deployments.ofServer(server, environment)[0]
  }
}

function notMapped(message: string): never {
  throw new HostingError('NOT_FOUND', message, {
    next: [{ description: 'See all', command: 'mcp domains list' }],
  })
}
