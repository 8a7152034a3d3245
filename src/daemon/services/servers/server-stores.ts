import type {
  ChangeStore,
  StoreChange,
  StoreEntry,
  StorePage,
  StoreUsage,
} from '../../../shared/contract/servers/server-store.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { StatePlace } from '../../../shared/instances/instance-protocol.ts'
import { MAX_STORE_BYTES, USER_SCOPE } from '../../../shared/instances/state-operations.ts'
import type { StateRow } from '../../store/state/state-reads.ts'
import type { ServiceDependencies } from '../dependencies.ts'

type Dependencies = Pick<ServiceDependencies, 'states' | 'store'>

export interface StorePageOptions {
  /** Only this key. */
  key?: string | undefined
  prefix?: string | undefined
  /** Only entries of this user. Null: only shared ones. */
  user?: string | null | undefined
  limit: number
  cursor?: string | undefined
}

/** The stores of handlers, as administrators see them. */
export class ServerStores {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws NOT_FOUND for an unknown server without data. */
  async page(place: StatePlace, { key, prefix, user, limit, cursor }: StorePageOptions): Promise<StorePage> {
    this.#requireServer(place)
    const { states } = this.#deps
    const scope = user === undefined ? undefined : scopeOf(user)
    const query = { scope, key, prefix, after: cursor === undefined ? undefined : decode(cursor) }
    const rows = await states.rows(place, { ...query, limit: limit + 1 })
    const items = rows.slice(0, limit)
    return {
      items: items.map(toEntry),
      next_cursor: rows.length > limit ? encode(items.at(-1)!) : null,
      usage: await this.usage(place),
    }
  }

  /** Applies all changes or none. Throws NOT_FOUND, and PAYLOAD_TOO_LARGE when the store is full. */
  async change(place: StatePlace, { set, delete: deleted }: ChangeStore): Promise<StoreChange> {
    this.#requireServer(place)
    const rows = set.map(({ key, user, value, expires_at }) => ({
      scope: scopeOf(user),
      key,
      value: JSON.stringify(value),
      expiresAt: expires_at == null ? null : Date.parse(expires_at),
    }))
    const removed = deleted.map(({ key, user }) => ({ scope: scopeOf(user), key }))
    const result = await this.#deps.states.change(place, rows, removed)
    if ('error' in result) throw new HostingError('PAYLOAD_TOO_LARGE', result.error.message)
    return { set: rows.length, deleted: result.removed, usage: await this.usage(place) }
  }

  async usage(place: StatePlace): Promise<StoreUsage> {
    const usage = await this.#deps.states.usage(place)
    return { entries: 0, bytes: 0, ...usage, limit_bytes: MAX_STORE_BYTES }
  }

  #requireServer(place: StatePlace): void {
    const { states, store } = this.#deps
    if (store.builds.hasAny(place.server) || states.has(place)) return
    throw new HostingError('NOT_FOUND', `Server "${place.server}" does not exist.`, {
      next: [{ description: 'List servers', command: 'mcp list' }],
    })
  }
}

function scopeOf(user: string | null | undefined): string {
  return user == null ? '' : USER_SCOPE + user
}

function toEntry({ scope, key, value, expiresAt }: StateRow): StoreEntry {
  return {
    key,
    user: scope === '' ? null : scope.slice(USER_SCOPE.length),
    value: JSON.parse(value),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
}

function encode({ scope, key }: StateRow): string {
  return Buffer.from(JSON.stringify([scope, key])).toString('base64url')
}

/** Throws INVALID_REQUEST for text that `encode` did not return. */
function decode(cursor: string): { scope: string; key: string } {
  try {
    const [scope, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof scope === 'string' && typeof key === 'string') return { scope, key }
  } catch {
    // not JSON
  }
  throw new HostingError(
    'INVALID_REQUEST',
    'The query is not valid: cursor is not a page token of this list.',
  )
}
