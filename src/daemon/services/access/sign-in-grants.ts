import type {
  RemovedSignInClient,
  SignInClient,
  SignInClientPage,
  SignInGrant,
  SignInGrantPage,
} from '../../../shared/contract/access/sign-ins.ts'
import { decodePageToken, encodePageToken } from '../../../shared/contract/page-token.ts'
import { ENVIRONMENTS, type Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import { ACCESS_TOKEN_SECONDS, issuerOf, REFRESH_TOKEN_SECONDS } from '../../sign-in/issuer-address.ts'
import type { StoredClient, StoredGrant } from '../../store/tables/sign-in-grants.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { requireServer } from '../deployments/release-history.ts'

type Dependencies = Pick<ServiceDependencies, 'audit' | 'clock' | 'origin' | 'store' | 'supervisor'>

export interface GrantFilter {
  server: string
  environment?: Environment | undefined
  clientId?: string | undefined
  subject?: string | undefined
}

interface PageOptions {
  limit: number
  nextToken?: string | undefined
}

/** An action, and the name of the API key that performs it (`by`) for the daemon's log. */
interface Action {
  server: string
  id: string
  environment?: Environment | undefined
  by: string
}

/** Clients and grants of servers with sign-in, as administrators see them. */
export class SignInGrants {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Newest first. Throws NOT_FOUND for an unknown server. */
  list({ server, environment, ...filter }: GrantFilter, { limit, nextToken }: PageOptions): SignInGrantPage {
    const position = nextToken === undefined ? undefined : decodePageToken(nextToken)
    const after = position && { id: position.id, signedInAt: Date.parse(position.createdAt) / 1000 }
    const found = this.#environments(server, environment).flatMap(each => {
      const query = { ...this.#queryOf(server, each), ...filter, limit: limit + 1, after }
      return this.#deps.store.signInGrants.list(query).map(grant => ({ grant, environment: each }))
    })
    const sorted = found.sort((a, b) => compareGrants(a.grant, b.grant))
    const items = sorted.slice(0, limit).map(one => this.#grantRecord(server, one.environment, one.grant))
    const last = items.at(-1)
    return {
      items,
      nextToken: sorted.length > limit ? encodePageToken({ createdAt: last!.issuedAt, id: last!.id }) : null,
    }
  }

  /** Sorted by environment and id. Throws NOT_FOUND for an unknown server. */
  clients({ server, environment }: GrantFilter, { limit, nextToken }: PageOptions): SignInClientPage {
    const all = this.#environments(server, environment)
    const position = nextToken === undefined ? undefined : decodePageToken(nextToken)
    const from = Math.max(0, all.indexOf(position?.createdAt as Environment))
    const items: SignInClient[] = []
    for (const [index, each] of all.slice(from).entries()) {
      const after = index === 0 && position ? { after: position.id } : {}
      const query = { ...this.#queryOf(server, each), ...after, limit: limit + 1 - items.length }
      items.push(...this.#deps.store.signInGrants.clients(query).map(client => toClientRecord(client, each)))
      if (items.length > limit) break
    }
    const last = items.slice(0, limit).at(-1)
    return {
      items: items.slice(0, limit),
      nextToken:
        items.length > limit && last ? encodePageToken({ createdAt: last.environment, id: last.id }) : null,
    }
  }

  /** Revokes a grant. Its tokens are refused as soon as the instances learn of the revocation. Throws NOT_FOUND. */
  revoke({ server, id, environment, by }: Action): void {
    for (const each of this.#environments(server, environment)) {
      const revoked = this.#deps.store.signInGrants.revoke(`${server}/${each}`, id, this.#until)
      if (!revoked) continue
      this.#revokeTokens(server, each, [id])
      return this.#deps.audit('revoked a sign-in grant', {
        server,
        environment: each,
        grant: id,
        ...revoked,
        by,
      })
    }
    throw missing('Grant', server, id, 'mcp grants')
  }

  /** Removes a client and revokes its grants. Throws NOT_FOUND. */
  removeClient({ server, id, environment, by }: Action): RemovedSignInClient {
    let revokedGrants: number | undefined
    for (const each of this.#environments(server, environment)) {
      const grants = this.#deps.store.signInGrants.removeClient(`${server}/${each}`, id, this.#until)
      if (!grants) continue
      this.#revokeTokens(server, each, grants)
      this.#deps.audit('removed a sign-in client', { server, environment: each, client: id, grants, by })
      revokedGrants = (revokedGrants ?? 0) + grants.length
    }
    if (revokedGrants === undefined) throw missing('Client', server, id, 'mcp clients')
    return { revokedGrants }
  }

  #revokeTokens(server: string, environment: Environment, grants: readonly string[]): void {
    const { origin, supervisor } = this.#deps
    const until = this.#until
    supervisor.revoke(
      issuerOf(origin, `${server}/${environment}`),
      Object.fromEntries(grants.map(id => [id, until])),
    )
  }

  #environments(server: string, environment: Environment | undefined): readonly Environment[] {
    requireServer(this.#deps, server)
    return environment === undefined ? ENVIRONMENTS : [environment]
  }

  #queryOf(server: string, environment: Environment) {
    const now = this.#now
    return {
      address: `${server}/${environment}`,
      now,
      signedInSince: now - this.#tokenSeconds(server, environment),
    }
  }

  #grantRecord(server: string, environment: Environment, grant: StoredGrant): SignInGrant {
    const { id, clientId, subject, providerId, scope, signedInAt, generation, refreshUntil } = grant
    const expiresAt = refreshUntil ?? signedInAt + this.#tokenSeconds(server, environment)
    const address = `${server}/${environment}`
    return {
      id,
      environment,
      clientId,
      clientName: this.#deps.store.signInGrants.clientName(address, clientId) ?? null,
      subject,
      provider: providerId,
      scopes: scope,
      issuedAt: toTime(signedInAt),
      lastRefreshedAt:
        refreshUntil !== null && generation ? toTime(refreshUntil - REFRESH_TOKEN_SECONDS) : null,
      expiresAt: toTime(expiresAt),
    }
  }

  /** Lifetime of access tokens. */
  #tokenSeconds(server: string, environment: Environment): number {
    const live = this.#deps.store.deployments.findLive(server, environment)
    return live?.config.auth?.token_ttl ?? ACCESS_TOKEN_SECONDS
  }

  /** Unix seconds. */
  get #now(): number {
    return Date.parse(this.#deps.clock.wallTime()) / 1000
  }

  /** Latest possible expiry of the tokens issued so far. */
  get #until(): number {
    return this.#now + REFRESH_TOKEN_SECONDS
  }
}

function compareGrants(a: StoredGrant, b: StoredGrant): number {
  return b.signedInAt - a.signedInAt || (a.id < b.id ? 1 : -1)
}

function toClientRecord(client: StoredClient, environment: Environment): SignInClient {
  const { id, metadata, grants, signedInAt, refreshUntil } = client
  const uris = metadata?.redirect_uris ?? []
  const lastUse = Math.max(signedInAt ?? 0, refreshUntil === null ? 0 : refreshUntil - REFRESH_TOKEN_SECONDS)
  return {
    id,
    environment,
    kind: metadata ? 'registered' : 'metadata-document',
    name: metadata?.client_name ?? null,
    uri: metadata?.client_uri ?? null,
    redirectHosts: [...new Set(uris.map(hostOf))],
    createdAt: metadata?.registeredAt === undefined ? null : toTime(metadata.registeredAt),
    lastUsedAt: lastUse > 0 ? toTime(lastUse) : null,
    grants,
  }
}

/** Host of a redirect URI. For a URI without a host, such as `app:/callback`, the scheme. */
function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return host || protocol
}

function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function missing(what: string, server: string, id: string, list: string): HostingError {
  return new HostingError('NOT_FOUND', `${what} "${id}" of server "${server}" does not exist.`, {
    next: [{ description: 'List all', command: `${list} ${server}` }],
  })
}
