import { type AuthorizationServer, createAuthorizationServer } from '../../sdk/oauth/authorization-server.ts'
import type { OAuthEvent } from '../../sdk/oauth/oauth-event.ts'
import { type SqliteStorage, sqliteStorage } from '../../sdk/oauth/storage/sqlite.ts'
import type { DeploymentAuth } from '../../shared/contract/deployments/deployment-auth.ts'
import type { TenantAuth } from '../../shared/instances/instance-protocol.ts'
import type { RevokedTokens } from '../../shared/instances/revoked-tokens.ts'
import { identityProvider } from './identity-provider.ts'
import { ACCESS_TOKEN_SECONDS, issuerOf, REFRESH_TOKEN_SECONDS } from './issuer-address.ts'
import { issuerStorage } from './issuer-storage.ts'
import { LocalProvider, type LocalUsers } from './local-provider.ts'

export interface IssuersOptions {
  /** URL of the daemon, without a trailing slash. */
  origin: string
  /** Path of the daemon's database, which also stores clients, grants and keys. */
  database: string
  /** Derives a key for one purpose. The same purpose gives the same key. */
  deriveKey(purpose: string): string
  /** Revoked grants and tokens of `<server>/<environment>`. */
  revoked(address: string): RevokedTokens
  /** Called for each new revocation. */
  onRevoked(issuer: string, tokens: RevokedTokens): void
  /** Users who may sign in with `local`. */
  users: LocalUsers
}

export interface ProtectedAddress {
  /** `<server>/<environment>`. */
  name: string
  auth: DeploymentAuth
  /** MCP endpoints that tokens are issued for. The first is the default. */
  resources: readonly string[]
  log(event: OAuthEvent): void
}

const DEFAULT_SCOPES = ['openid', 'profile', 'email']
/** Instances get the key when they start, so it must not change. The first rotation is in 2070. */
const ROTATION_SECONDS = 100 * 365.25 * 24 * 3600

/** The authorization servers of protected deployments, one per address. They run in the daemon. */
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

  /** Throws a TypeError for invalid settings of the identity provider. */
  serverFor(address: ProtectedAddress): AuthorizationServer {
    const { auth, resources } = address
    const made = JSON.stringify({ auth, resources })
    const known = this.#servers.get(address.name)
    if (known?.made === made) return known.server
    const server = this.#create(address)
    this.#servers.set(address.name, { made, server })
    return server
  }

  /** Settings that instances use to verify tokens. */
  async tenantAuth(address: ProtectedAddress): Promise<TenantAuth> {
    const server = this.serverFor(address)
    const answer = await server.fetch(new Request(`${server.issuer}/oauth/jwks`))
    const { keys } = (await answer.json()) as Pick<TenantAuth, 'keys'>
    return {
      issuer: server.issuer,
      keys,
      requiredScopes: requiredScopes(address.auth),
      scopes: offeredScopes(address.auth),
      revoked: this.#options.revoked(address.name),
    }
  }

  /** Drops the authorization servers of a removed server or environment. A new server with the same name gets a new key. */
  removeServer(server: string, environment?: string): void {
    for (const name of this.#servers.keys())
      if (environment === undefined ? name.startsWith(`${server}/`) : name === `${server}/${environment}`)
        this.#servers.delete(name)
  }

  close(): void {
    this.#storage.close()
  }

  #create({ name, auth, resources, log }: ProtectedAddress): AuthorizationServer {
    const { origin, deriveKey, onRevoked } = this.#options
    const issuer = issuerOf(origin, name)
    return createAuthorizationServer({
      issuer,
      upstreamProvider: identityProvider(auth, this.local.config),
      signingSecret: deriveKey(`sign-in ${name}`),
      enableDCR: true,
      storage: issuerStorage(this.#storage, name, (id, until) => onRevoked(issuer, { [id]: until })),
      resources,
      scopes: offeredScopes(auth),
      tokenTTL: auth.token_ttl ?? ACCESS_TOKEN_SECONDS,
      refreshTokenTTL: REFRESH_TOKEN_SECONDS,
      revocation: true,
      signing: { algorithm: 'EdDSA', rotationSeconds: ROTATION_SECONDS },
      log,
    })
  }
}

function requiredScopes({ scopes, required_scopes }: DeploymentAuth): string[] {
  return required_scopes ?? (scopes ? [] : DEFAULT_SCOPES.slice(0, 1))
}

function offeredScopes(auth: DeploymentAuth): string[] {
  return [...new Set([...(auth.scopes ?? DEFAULT_SCOPES), ...requiredScopes(auth)])]
}
