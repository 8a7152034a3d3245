import { KeyValueStore } from '../../sdk/store/key-value-store.ts'
import type { ServerStore, Store } from '../../sdk/store/store.ts'
import { noUser } from '../../sdk/store/store-error.ts'
import { type StateBackend, USER_SCOPE } from '../../shared/instances/state-operations.ts'
import type { Caller } from '../server/client-context.ts'

/** The store as one handler call sees it. */
export class HandlerStore extends KeyValueStore implements ServerStore {
  readonly #backend: StateBackend
  readonly #caller: Caller | undefined

  constructor(backend: StateBackend = NO_STORE, caller?: Caller) {
    super(backend)
    this.#backend = backend
    this.#caller = caller
  }

  get user(): Store {
    if (this.#caller) return new KeyValueStore(this.#backend, USER_SCOPE + this.#caller.subject)
    throw noUser()
  }
}

const NO_STORE: StateBackend = {
  async run() {
    return { error: { code: 'UNAVAILABLE', message: 'This server has no store.' } }
  },
}
