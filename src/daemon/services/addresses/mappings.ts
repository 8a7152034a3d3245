import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Mapping } from '../../store/tables/mappings.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Deployments } from '../deployments/deployments.ts'
import { localName } from './host-names.ts'

type Dependencies = Pick<ServiceDependencies, 'clock' | 'publicListeners' | 'store'>

/** Subdomains that users chose. Each belongs to an environment of a server and follows its releases. */
export class Mappings {
  readonly #deps: Dependencies
  readonly #deployments: Deployments

  constructor(deps: Dependencies, deployments: Deployments) {
    this.#deps = deps
    this.#deployments = deployments
  }

  list(limit: number, cursor?: string): { items: MappingRecord[]; nextToken: string | null } {
    const { items, nextCursor } = this.#deps.store.mappings.list(limit, cursor)
    return { items: items.map(mapping => this.#record(mapping)), nextToken: nextCursor }
  }

  find(subdomain: string): MappingRecord | undefined {
    const mapping = this.#deps.store.mappings.find(subdomain)
    return mapping && this.#record(mapping)
  }

  /** Throws NOT_FOUND, also for generated subdomains. */
  get(subdomain: string): MappingRecord {
    return this.find(subdomain) ?? notMapped(`Subdomain "${subdomain}" is not mapped.`)
  }

  /**
   * Creates a mapping, or changes it with `replace`. Throws NOT_FOUND, and CONFLICT for a subdomain that was generated for
   * another address or, without `replace`, points elsewhere.
   */
  put(subdomain: string, deploymentId: string, { replace = false } = {}): MappingRecord {
    const { store, clock } = this.#deps
    const { name, environment } = this.#deployments.get(deploymentId)
    const owner = store.addresses.findBySubdomain(subdomain)
    if (owner && (owner.server !== name || owner.slot !== environment))
      throw new HostingError(
        'CONFLICT',
        `The subdomain "${subdomain}" belongs to the ${owner.slot} address of "${owner.server}".`,
        { details: 'Choose another subdomain, or remove that server.' },
      )
    const before = store.mappings.find(subdomain)
    if (before && !replace && (before.server !== name || before.environment !== environment))
      throw new HostingError(
        'CONFLICT',
        `The subdomain "${subdomain}" points to "${before.server}" in ${before.environment}.`,
        { details: 'Choose another subdomain, or replace the mapping.' },
      )
    store.mappings.put({ subdomain, server: name, environment, updatedAt: clock.now() })
    return this.#record(store.mappings.find(subdomain)!)
  }

  /** Also removes the generated subdomain of a deployment. Throws NOT_FOUND. */
  remove(subdomain: string): void {
    const { store } = this.#deps
    const isRemoved = store.transaction(() => {
      const wasMapped = store.mappings.remove(subdomain)
      return store.addresses.removeSubdomain(subdomain) || wasMapped
    })
    if (!isRemoved) notMapped(`Subdomain "${subdomain}" does not exist.`)
  }

  #record({ subdomain, server, environment, createdAt, updatedAt }: Mapping): MappingRecord {
    const deployment = this.#current(server, environment)
    const { url, secureUrl } = this.#deps.publicListeners.urls(localName(subdomain))
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
    const { deployments } = this.#deps.store
    return deployments.findLive(server, environment) ?? deployments.listByServer(server, environment)[0]
  }
}

function notMapped(message: string): never {
  throw new HostingError('NOT_FOUND', message, {
    next: [{ description: 'List the mappings', command: 'mcp domains list' }],
  })
}
