import { ENVIRONMENTS, type Environment } from '../../../shared/contract/states.ts'
import type { TenantAuth } from '../../../shared/instances/instance-protocol.ts'
import { Lazy } from '../../../shared/lazy.ts'
import type { PublicListeners } from '../../gateway/public-listeners.ts'
import type { LogStore } from '../../runtime/logs/log-store.ts'
import type { Supervisor } from '../../runtime/supervisor.ts'
import type { Issuers, ProtectedAddress } from '../../sign-in/issuers.ts'
import type { Store } from '../../store/store.ts'
import type { Address } from '../../store/tables/addresses.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Addresses } from '../addresses/addresses.ts'
import { mcpUrl } from '../addresses/addresses.ts'
import { localName, namedUrls } from '../addresses/host-names.ts'
import type { Background } from '../background.ts'
import { readAuth } from '../deployments/deployment-secrets.ts'
import type { ApiKeys } from './api-keys.ts'
import type { SecretBox } from './secrets.ts'

/** Path of an issuer, its endpoints or its metadata (RFC 8414 3.1). */
const ISSUER = new RegExp(
  `^(?:/\\.well-known/oauth-authorization-server)?/auth/([A-Za-z0-9._-]{1,63})/(${ENVIRONMENTS.join('|')})(?:/oauth/[^?]*)?$`,
)
/** Maximum number of revoked grants and tokens that instances receive when they start. They receive the newest. */
const MAX_REVOKED = 100_000
const LOCAL = /^\/sign-in(\/|$)/

interface SignInDependencies {
  supervisor: Supervisor
  store: Store
  secrets: SecretBox
  addresses: Addresses
  publicListeners: PublicListeners
  logs: LogStore
  background: Background
  /** URL of the daemon's API, without a trailing slash. */
  origin: string
}

/** Sign-in of users to protected deployments. Loads its code when it is first used. */
export class SignIns {
  readonly #deps: SignInDependencies
  readonly #apiKeys: ApiKeys
  readonly #issuers = new Lazy(() => this.#open())

  constructor(deps: SignInDependencies, apiKeys: ApiKeys) {
    this.#deps = deps
    this.#apiKeys = apiKeys
  }

  /** Whether `fetch` handles requests to a path. */
  serves(pathname: string): boolean {
    return ISSUER.test(pathname) || LOCAL.test(pathname)
  }

  async fetch(request: Request, connection: { clientAddress?: string }): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (LOCAL.test(pathname)) return (await this.#issuers.get()).local.fetch(request)
    const [, server = '', environment] = ISSUER.exec(pathname) ?? []
    const address = this.#findAddress(server, environment as Environment)
    if (address) return (await this.#issuers.get()).serverFor(address).fetch(request, connection)
    const error_description = 'No live deployment with sign-in has this address.'
    return Response.json({ error: 'not_found', error_description }, { status: 404 })
  }

  /** Sign-in settings of a deployment's instances. Undefined for a public deployment, or one without an address. */
  async tenantAuth(deployment: Deployment): Promise<TenantAuth | undefined> {
    const address = this.#describe(deployment)
    return address && (await this.#issuers.get()).tenantAuth(address)
  }

  /** Removes clients, grants and keys of a removed server, or of one environment. */
  removeServer(server: string, environment?: Environment): void {
    this.#deps.store.signInRecords.removeByServer(server, environment)
    void this.#issuers.find().then(issuers => issuers?.removeServer(server, environment))
  }

  async close(): Promise<void> {
    ;(await this.#issuers.find())?.close()
  }

  #findAddress(server: string, environment: Environment): ProtectedAddress | undefined {
    const { deployments } = this.#deps.store
    const live = deployments.findLive(server, environment) ?? deployments.listActive(server, environment)[0]
    return live && this.#describe(live)
  }

  #describe(deployment: Deployment): ProtectedAddress | undefined {
    const { name, environment, id } = deployment
    const auth = readAuth(this.#deps.secrets, deployment)
    const address = this.#deps.addresses.find(name, environment)
    if (!auth || !address) return undefined
    return {
      name: `${name}/${environment}`,
      auth,
      resources: this.#resources(deployment, address),
      log: ({ message, reason }) => {
        const line = {
          timestamp: new Date().toISOString(),
          level: 'warn' as const,
          stream: 'server' as const,
          message: `sign-in: ${message}${reason === undefined ? '' : ` (${reason})`}`,
        }
        this.#deps.background.run(() => this.#deps.logs.append(id, line))
      },
    }
  }

  /** Every URL of a deployment that instances accept as a token's audience. */
  #resources(deployment: Deployment, address: Address): string[] {
    const url = mcpUrl(address)
    const { name, environment } = deployment
    const mapped = this.#deps.store.mappings
      .subdomainsOf(name, environment)
      .map(subdomain => this.#deps.publicListeners.urls(localName(subdomain)))
      .flatMap(({ url, secureUrl }) => [url, secureUrl])
    const named = [...namedUrls(this.#deps, deployment, address), ...mapped].filter(Boolean)
    return [...new Set([url, url.replace('127.0.0.1', 'localhost'), ...named])]
  }

  async #open(): Promise<Issuers> {
    const { Issuers } = await import('../../sign-in/issuers.ts')
    const { store, secrets, origin } = this.#deps
    return new Issuers({
      origin,
      database: store.database.path,
      deriveKey: purpose => secrets.derive(purpose),
      revoked: address =>
        Object.fromEntries(store.signInRecords.revoked(address, Date.now() / 1000, MAX_REVOKED)),
      onRevoked: (issuer, tokens) => this.#deps.supervisor.revoke(issuer, tokens),
      users: secret => {
        const key = this.#apiKeys.find(secret)
        return key && !this.#apiKeys.isExpired(key) ? { id: key.userId, name: key.name } : undefined
      },
    })
  }
}
