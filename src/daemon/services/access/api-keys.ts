import { createHash, randomBytes } from 'node:crypto'
import type {
  CreatedKey,
  CreateKeyRequest,
  KeyInfo,
  KeyRecord,
} from '../../../shared/contract/access/api-keys.ts'
import { HostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import type { Store } from '../../store/store.ts'
import type { ApiKey } from '../../store/tables/api-keys.ts'
import type { Clock } from '../clock.ts'
import { Lifetimes } from './lifetimes.ts'

export type Principal = ApiKey

/** A key's record without its request count, which `RateLimits` keeps. */
type WithoutUse<K extends KeyRecord> = Omit<K, 'rateLimit'>

export class ApiKeys {
  readonly #store: Store
  readonly #clock: Clock
  readonly #lifetimes: Lifetimes

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#lifetimes = new Lifetimes(clock)
  }

  /** Finds the key of a secret, even if it has expired. The lookup is by hash, so its timing reveals nothing about the secret. */
  find(secret: string): Principal | undefined {
    return this.#store.apiKeys.findByHash(hashSecret(secret))
  }

  /** Records the use of a key. A failed write is ignored, because a full disk must not lock readers out. */
  touch(principal: Principal): Principal {
    const lastUsedAt = this.#clock.now()
    try {
      this.#store.apiKeys.touch(principal.id, lastUsedAt)
    } catch {
      return principal
    }
    return { ...principal, lastUsedAt }
  }

  /** Aborts when the key is revoked or expires. */
  lifetime({ id, expiresAt }: Principal): AbortSignal {
    return this.#lifetimes.signal(id, expiresAt)
  }

  isExpired({ expiresAt }: Principal): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.wallTime()
  }

  info(key: ApiKey): KeyInfo {
    return {
      apiKeyId: key.id,
      name: key.name,
      scopes: key.scopes,
      userId: key.userId,
      idpUid: key.idpUid,
      lastUsedAt: key.lastUsedAt,
      expiresAt: key.expiresAt,
      isExpired: this.isExpired(key),
    }
  }

  list(limit: number, cursor?: string): { items: WithoutUse<KeyRecord>[]; nextToken: string | null } {
    const { items, nextCursor } = this.#store.apiKeys.list(limit, cursor)
    return { items: items.map(key => this.#record(key)), nextToken: nextCursor }
  }

  /** Throws NOT_FOUND. */
  get(id: string): WithoutUse<KeyRecord> {
    const key = this.#store.apiKeys.find(id)
    return key ? this.#record(key) : unknownKey(id)
  }

  /**
   * Creates a key for the same user. Throws INVALID_REQUEST for an expiry in the past, and CONFLICT for a name in use. With
   * `replace`, revokes the keys with that name instead, and throws CONFLICT only for the owner's.
   */
  create(creator: Principal, { replace = false, ...request }: CreateKeyRequest): WithoutUse<CreatedKey> {
    const expiresAt = request.expiresAt ? new Date(request.expiresAt).toISOString() : null
    if (expiresAt !== null && expiresAt <= this.#clock.wallTime())
      throw new HostingError('INVALID_REQUEST', `expiresAt is ${expiresAt}, which is not in the future.`)
    return this.#store.transaction(() => {
      this.#freeName(request.name, replace)
      const { userId, idpUid } = creator
      const { key, secret } = this.#create({ ...request, expiresAt, userId, idpUid, isOwner: false })
      return { ...this.#record(key), key: secret }
    })
  }

  #freeName(name: string, replace: boolean): void {
    const others = this.#store.apiKeys.listByName(name)
    const [newest] = others
    if (newest && !replace)
      throw new HostingError('CONFLICT', `API key "${name}" already exists (${newest.id}).`, {
        details: 'Choose another name, or replace the key. Programs that use it then need the new secret.',
      })
    for (const { id } of others) this.revoke(id)
  }

  /** Throws NOT_FOUND, and CONFLICT for the owner's key, which the daemon created itself. */
  revoke(id: string): void {
    const key = this.#store.apiKeys.find(id)
    if (key?.isOwner)
      throw new HostingError(
        'CONFLICT',
        `Key ${id} is the owner's key of this daemon and cannot be revoked.`,
        {
          details:
            'To replace it, stop the daemon, remove the key from the credentials file, then start the daemon.',
        },
      )
    if (!this.#store.apiKeys.remove(id)) unknownKey(id)
    this.#lifetimes.end(id)
  }

  /** Replaces the owner's key. Returns the new secret. */
  replaceOwner(): string {
    return this.#store.transaction(() => {
      const before = this.#store.apiKeys.findOwner()
      if (before) this.#store.apiKeys.remove(before.id)
      const userId = before?.userId ?? createId('usr')
      return this.#create({
        name: 'owner',
        scopes: ['READ', 'BUILD_AND_DEPLOY', 'CHAT', 'ADMIN'],
        plan: 'enterprise',
        expiresAt: null,
        userId,
        idpUid: before?.idpUid ?? userId,
        isOwner: true,
      }).secret
    })
  }

  #create(fields: Pick<ApiKey, 'name' | 'scopes' | 'plan' | 'expiresAt' | 'userId' | 'idpUid' | 'isOwner'>) {
    const secret = `mcp_sk_${randomBytes(32).toString('base64url')}`
    const key: ApiKey = {
      ...fields,
      id: createId('key'),
      scopes: [...new Set(fields.scopes)],
      hash: hashSecret(secret),
      createdAt: this.#clock.now(),
      lastUsedAt: null,
    }
    this.#store.apiKeys.create(key)
    return { key, secret }
  }

  #record(key: ApiKey): WithoutUse<KeyRecord> {
    return { ...this.info(key), plan: key.plan, createdAt: key.createdAt }
  }
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function unknownKey(id: string): never {
  throw new HostingError('NOT_FOUND', `API key "${id}" does not exist.`, {
    next: [{ description: 'List the keys', command: 'mcp keys list' }],
  })
}
