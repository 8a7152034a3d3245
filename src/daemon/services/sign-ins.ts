import type { TenantAuth } from '../../shared/instance-protocol.ts'
import { Lazy } from '../../shared/lazy.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/states.ts'
import type { Issuers, ProtectedPlace } from '../sign-in/issuers.ts'
import type { Address } from '../store/addresses.ts'
import type { Deployment } from '../store/deployments.ts'
import { mcpUrl } from './addresses.ts'
import type { ApiKeys } from './api-keys.ts'
import { readAuth } from './deployment-secrets.ts'
import { localName, namedUrls } from './host-names.ts'
import type { Rooms } from './rooms.ts'

/** The address of an issuer and, with its first part, of its metadata (RFC 8414 3.1). */
const ISSUER = new RegExp(
  `^(?:/\\.well-known/oauth-authorization-server)?/auth/([A-Za-z0-9._-]{1,63})/(${ENVIRONMENTS.join('|')})(?:/oauth/[^?]*)?$`,
)
/** Told to instances when they start; it takes a hundred thousand sign-ins that were ended within a day to have more. */
const MAX_REVOKED = 100_000
const LOCAL = /^\/sign-in(\/|$)/

type Needed = Pick<
  Rooms,
  'supervisor' | 'store' | 'secrets' | 'addresses' | 'frontDoors' | 'logs' | 'background' | 'origin'
>

/** Where users of protected deployments sign in; nothing of it is loaded before there is one. */
export class SignIns {
  readonly #rooms: Needed
  readonly #apiKeys: ApiKeys
  readonly #issuers = new Lazy(() => this.#open())

  constructor(rooms: Needed, apiKeys: ApiKeys) {
    this.#rooms = rooms
    this.#apiKeys = apiKeys
  }

  /** Whether an address may be one of its own. */
  isAt(pathname: string): boolean {
    return ISSUER.test(pathname) || LOCAL.test(pathname)
  }

  async fetch(request: Request, connection: { clientAddress?: string }): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (LOCAL.test(pathname)) return (await this.#issuers.get()).local.fetch(request)
    const [, server = '', environment] = ISSUER.exec(pathname) ?? []
    const place = this.#findPlace(server, environment as Environment)
    if (place) return (await this.#issuers.get()).at(place).fetch(request, connection)
    const error_description = 'No deployment that users sign in to is live here.'
    return Response.json({ error: 'not_found', error_description }, { status: 404 })
  }

  /** What its instances need; undefined where everybody may use it. */
  async tenantAuth(deployment: Deployment): Promise<TenantAuth | undefined> {
    const place = this.#placeOf(deployment)
    return place && (await this.#issuers.get()).tenantAuth(place)
  }

  /** With the last build of a server its clients, grants and keys go. */
  forget(server: string): void {
    this.#rooms.store.signInRecords.removeOf(server)
    void this.#issuers.find().then(issuers => issuers?.forget(server))
  }

  async close(): Promise<void> {
    ;(await this.#issuers.find())?.close()
  }

  #findPlace(server: string, environment: Environment): ProtectedPlace | undefined {
    const { deployments } = this.#rooms.store
    const live = deployments.findLive(server, environment) ?? deployments.active(server, environment)[0]
    return live && this.#placeOf(live)
  }

  #placeOf(deployment: Deployment): ProtectedPlace | undefined {
    const { name, environment, id } = deployment
    const auth = readAuth(this.#rooms.secrets, deployment)
    const address = this.#rooms.addresses.find(name, environment)
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
        this.#rooms.background.run(() => this.#rooms.logs.append(id, line))
      },
    }
  }

  /** Every URL by which clients reach it, as instances check them. */
  #resources(deployment: Deployment, address: Address): string[] {
    const url = mcpUrl(address)
    const { name, environment } = deployment
    const mapped = this.#rooms.store.mappings
      .subdomainsOf(name, environment)
      .map(subdomain => this.#rooms.frontDoors.urls(localName(subdomain)))
      .flatMap(({ url, secureUrl }) => [url, secureUrl])
    const named = [...namedUrls(this.#rooms, deployment, address), ...mapped].filter(Boolean)
    return [...new Set([url, url.replace('127.0.0.1', 'localhost'), ...named])]
  }

  async #open(): Promise<Issuers> {
    const { Issuers } = await import('../sign-in/issuers.ts')
    const { store, secrets, origin } = this.#rooms
    return new Issuers({
      origin,
      database: store.database.path,
      deriveKey: purpose => secrets.derive(purpose),
      revoked: place =>
        Object.fromEntries(store.signInRecords.revoked(place, Date.now() / 1000, MAX_REVOKED)),
      onRevoked: (issuer, tokens) => this.#rooms.supervisor.revoke(issuer, tokens),
      users: secret => {
        const key = this.#apiKeys.find(secret)
        return key && !this.#apiKeys.isExpired(key) ? { id: key.userId, name: key.name } : undefined
      },
    })
  }
}
