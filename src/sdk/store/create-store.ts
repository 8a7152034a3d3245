import { USER_SCOPE } from '../../shared/instances/state-operations.ts'
import { KeyValueStore } from './key-value-store.ts'
import { MemoryBackend } from './memory-backend.ts'
import type { ServerStore, Store } from './store.ts'
import { noUser } from './store-error.ts'

export interface CreateStoreOptions {
  /** Current time in Unix milliseconds, for tests of expiry. */
  now?: () => number
  /** User of `store.user`. Default: `local|user`. Null: no user is signed in. */
  user?: string | null
}

/** A store in memory with the rules of the real store, for unit tests of handlers. */
export function createStore({ now, user = 'local|user' }: CreateStoreOptions = {}): ServerStore {
  return new MemoryStore(new MemoryBackend(now && { now }), user)
}

class MemoryStore extends KeyValueStore implements ServerStore {
  readonly #user: Store | undefined

  constructor(backend: MemoryBackend, user: string | null) {
    super(backend)
    this.#user = user === null ? undefined : new KeyValueStore(backend, USER_SCOPE + user)
  }

  get user(): Store {
    if (this.#user) return this.#user
    throw noUser()
  }
}
