import { USER_SCOPE } from '../../shared/instances/state-operations.ts'
import { KeyValueStore } from './key-value-store.ts'
import { MemoryBackend } from './memory-backend.ts'
import type { ServerStore } from './store.ts'

export interface CreateStoreOptions {
  /** Current time in Unix milliseconds, for tests of expiry. */
  now?: () => number
  /** User of `store.user`. Default: `local|user`. */
  user?: string
}

/** A store in memory with the rules of the real one, for unit tests of handlers. */
export function createStore({ now, user = 'local|user' }: CreateStoreOptions = {}): ServerStore {
  const backend = new MemoryBackend(now && { now })
  return Object.assign(new KeyValueStore(backend), {
    user: new KeyValueStore(backend, USER_SCOPE + user),
  })
}
