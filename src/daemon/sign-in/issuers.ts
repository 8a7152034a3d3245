import { type AuthorizationServer, createAuthorizationServer } from '../../sdk/oauth/authorization-server.ts'
import type { OAuthEvent } from '../../sdk/oauth/oauth-event.ts'
import { type SqliteStorage, sqliteStorage } from '../../sdk/oauth/storage/sqlite.ts'
import type { DeploymentAuth } from '../../shared/deployment-auth.ts'
import type { TenantAuth } from '../../shared/instance-protocol.ts'
import type { RevokedTokens } from '../../shared/revoked-tokens.ts'
import { identityProvider } from './identity-provider.ts'
import { LocalProvider, type LocalUsers } from './local-provider.ts'
import { placeStorage } from './place-storage.ts'

export interface IssuersOptions {
  /** Of the daemon, without a slash at its end. */
  origin: string
  /** The daemon's own file, which keeps clients, grants and keys as well. */
  database: string
  /** A key for one purpose, the same each time. */
  deriveKey(purpose: string): string
  /** Grants and tokens of a place that were revoked until now. */
  revoked(place: string): RevokedTokens
  /** Some more were. */
  onRevoked(issuer: string, tokens: RevokedTokens): void
  /** Who may sign in with `local`. */
  users: LocalUsers
}

/** A deployment's address as its issuer knows it. */
export interface ProtectedPlace {
  /** `<server>/<environment>`. */
  name: string
  auth: DeploymentAuth
  /** MCP endpoints that tokens are issued for, the first by default. */
  resources: readonly string[]
  log(event: OAuthEvent): void
}

const DEFAULT_SCOPES = ['openid', 'profile', 'email']
/** Clients that are used once a month do not ask their user again. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600
/** Instances get the key when they start, so it stays; 2070 is the first year with another one. */
const ROTATION_SECONDS = 100 * 365.25 * 24 * 3600

/** The authorization servers of protected deployments: one for each address, all in the daemon. */
export class Issuers {
  readonly local: LocalProvider
  readonly #options: IssuersOptions
  readonly #storage: SqliteStorage
  readonly #servers = new Map<string, { made: string; server: AuthorizationServer }>()

  constructor(options: IssuersOptions) {
    this.#options = options
    this.#storage = sqliteStorage({ path: options.database })
    this.local = new LocalProvider(options)
  }

  /** Throws a TypeError for an identity provider that cannot work. */
  at(place: ProtectedPlace): AuthorizationServer {
    const { auth, resources } = place
    const made = JSON.stringify({ auth, resources })
    const known = this.#servers.get(place.name)
    if (known?.made === made) return known.server
    const server = this.#create(place)
    this.#servers.set(place.name, { made, server })
    return server
  }

  /** What the instances of the place need to tell good tokens from others. */
  async tenantAuth(place: ProtectedPlace): Promise<TenantAuth> {
    const server = this.at(place)
    const answer = await server.fetch(new Request(`${server.issuer}/oauth/jwks`))
    const { keys } = (await answer.json()) as Pick<TenantAuth, 'keys'>
    return {
      issuer: server.issuer,
      keys,
      requiredScopes: requiredScopes(place.auth),
      scopes: offeredScopes(place.auth),
      revoked: this.#options.revoked(place.name),
    }
  }

  /** After its records were removed: what is made for a server of that name begins with a new key. */
  forget(server: string): void {
    for (const name of this.#servers.keys()) if (name.startsWith(`${server}/`)) this.#servers.delete(name)
  }

  close(): void {
    this.#storage.close()
  }

  #create({ name, auth, resources, log }: ProtectedPlace): AuthorizationServer {
    const { origin, deriveKey, onRevoked } = this.#options
    const issuer = issuerOf(origin, name)
    return createAuthorizationServer({
      issuer,
      upstreamProvider: identityProvider(auth, this.local.config),
      signingSecret: deriveKey(`sign-in ${name}`),
      enableDCR: true,
      storage: placeStorage(this.#storage, name, (id, until) => onRevoked(issuer, { [id]: until })),
      resources,
      scopes: offeredScopes(auth),
      tokenTTL: auth.token_ttl ?? 3600,
      refreshTokenTTL: REFRESH_TOKEN_SECONDS,
      revocation: true,
      signing: { algorithm: 'EdDSA', rotationSeconds: ROTATION_SECONDS },
      log,
    })
  }
}

function issuerOf(origin: string, place: string): string {
  return `${origin}/auth/${place}`
}

function requiredScopes({ scopes, required_scopes }: DeploymentAuth): string[] {
  return required_scopes ?? (scopes ? [] : DEFAULT_SCOPES.slice(0, 1))
}

function offeredScopes(auth: DeploymentAuth): string[] {
  return [...new Set([...(auth.scopes ?? DEFAULT_SCOPES), ...requiredScopes(auth)])]
}
