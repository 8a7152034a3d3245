/**
 * Durable key-value store of the server in one environment, shared by its instances. Keys are strings of 1 to 2048 bytes (UTF-8),
 * sorted by their bytes. Values are JSON. The methods reject with a {@link StoreError}.
 */
export interface Store {
  /** Undefined when the key does not exist or has expired. */
  get<Value = unknown>(key: string): Promise<Value | undefined>
  /** Resolves when the value is on disk. Key and value together are limited to 128 KiB. Replaces an earlier expiry. */
  set(key: string, value: unknown, options?: ExpiryOptions): Promise<void>
  /** Resolves with true when the key existed. */
  delete(key: string): Promise<boolean>
  /** Entries whose keys start with the prefix, sorted by key. */
  list<Value = unknown>(prefix?: string, options?: ListOptions): Promise<StoreEntry<Value>[]>
  /**
   * Adds to a number (0 if the key does not exist) and resolves with the sum. Concurrent increments are never lost. An existing
   * entry keeps its expiry. Otherwise `ttlSeconds` applies.
   */
  increment(key: string, by?: number, options?: ExpiryOptions): Promise<number>
  /**
   * Runs `work` and then applies its writes, all or none. `work` runs again if another client has changed what it read, so
   * it must have no other side effects. Its reads see its own writes.
   */
  transaction<Result>(work: (transaction: StoreTransaction) => Result | Promise<Result>): Promise<Result>
}

/** A transaction reads and writes at most 1000 keys. The keys and new values together are limited to 128 KiB. */
export interface StoreTransaction {
  get<Value = unknown>(key: string): Promise<Value | undefined>
  list<Value = unknown>(prefix?: string, options?: ListOptions): Promise<StoreEntry<Value>[]>
  set(key: string, value: unknown, options?: ExpiryOptions): void
  delete(key: string): void
}

export interface ExpiryOptions {
  /** Time after which the entry no longer exists. Default: never. */
  ttlSeconds?: number
}

export interface ListOptions {
  /** Only entries after this key, for the next page. */
  after?: string
  /** Default: 1000. */
  limit?: number
  /** Last key first. */
  reverse?: boolean
}

export interface StoreEntry<Value = unknown> {
  key: string
  value: Value
}

/** The store of a handler. */
export interface ServerStore extends Store {
  /** Store of the signed-in user (`context.auth`). Throws a {@link StoreError} when no user is signed in. */
  readonly user: Store
}

/** Error of a store operation. The operation changed nothing, unless the code is `UNAVAILABLE`. */
export interface StoreError extends Error {
  readonly name: 'StoreError'
  readonly code:
    | 'INVALID_KEY'
    | 'INVALID_VALUE'
    /** Too many bytes or keys in one write or transaction. */
    | 'TOO_LARGE'
    | 'STORE_FULL'
    /** `increment` of a value that is not a number. */
    | 'NOT_A_NUMBER'
    /** Other clients changed the same entries during each attempt of a transaction. */
    | 'CONFLICT'
    /** The store cannot be read or written. A write may have happened. */
    | 'UNAVAILABLE'
    /** `store.user` without a signed-in user. */
    | 'NO_USER'
}
