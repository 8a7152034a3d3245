import {
  type Commit,
  MAX_WRITE_BYTES,
  type StateBackend,
  type StateScope,
  type StateWrite,
} from '../../shared/instances/state-operations.ts'
import { byteLength, checkKey } from './keys.ts'
import { checkList, expiry, readPages, run } from './operations.ts'
import type { ExpiryOptions, ListOptions, Store, StoreEntry, StoreTransaction } from './store.ts'
import { storeError } from './store-error.ts'
import { Transaction } from './transaction.ts'
import { toJson } from './values.ts'

const MAX_ATTEMPTS = 25
const MAX_PAUSE_MS = 100

/**
 * A store in a backend: validates keys and values, and retries transactions. Its methods are fields, so that
 * `const { get, set } = store` works.
 */
export class KeyValueStore implements Store {
  readonly #backend: StateBackend
  readonly #scope: StateScope

  constructor(backend: StateBackend, scope: StateScope = '') {
    this.#backend = backend
    this.#scope = scope
  }

  readonly get = async <Value = unknown>(key: string): Promise<Value | undefined> => {
    const { value } = await this.#read(checkKey(key))
    return value === null ? undefined : JSON.parse(value)
  }

  readonly set = async (key: string, value: unknown, options?: ExpiryOptions): Promise<void> => {
    await this.#write(checkWrite({ key: checkKey(key), value: toJson(value), ...expiry(options) }))
  }

  readonly delete = async (key: string): Promise<boolean> => {
    return (await this.#write({ key: checkKey(key), isDeleted: true })) as boolean
  }

  readonly list = async <Value = unknown>(
    prefix = '',
    options: ListOptions = {},
  ): Promise<StoreEntry<Value>[]> => {
    const { limit, ...rest } = checkList(prefix, options)
    const entries = await readPages(this.#backend, this.#scope, { prefix, ...rest, limit })
    return entries.map(([key, value]) => ({ key, value: JSON.parse(value) }))
  }

  readonly increment = async (key: string, by = 1, options?: ExpiryOptions): Promise<number> => {
    if (!Number.isFinite(by))
      throw storeError('INVALID_VALUE', `increment() needs a finite number, not ${by}.`)
    return (await this.#write({ key: checkKey(key), by, ...expiry(options) })) as number
  }

  readonly transaction = async <Result>(
    work: (transaction: StoreTransaction) => Result | Promise<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const transaction = new Transaction(this.#backend, this.#scope)
      const result = await work(transaction)
      if (await this.#commit(transaction.finish())) return result
      await pause(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt))
    }
    throw storeError(
      'CONFLICT',
      `The transaction failed ${MAX_ATTEMPTS} times, because other clients kept changing what it reads. Try again later.`,
    )
  }

  async #commit(commit: Commit): Promise<boolean> {
    return !('isConflict' in (await run(this.#backend, commit)))
  }

  async #read(key: string) {
    return (await run(this.#backend, { op: 'get', scope: this.#scope, key })) as { value: string | null }
  }

  async #write(write: StateWrite): Promise<unknown> {
    const commit: Commit = { op: 'commit', scope: this.#scope, writes: [write] }
    return ((await run(this.#backend, commit)) as { results: unknown[] }).results[0]
  }
}

function checkWrite(write: { key: string; value: string; ttlMs?: number }): StateWrite {
  const bytes = byteLength(write.key) + byteLength(write.value)
  if (bytes <= MAX_WRITE_BYTES) return write
  throw storeError(
    'TOO_LARGE',
    `"${write.key.slice(0, 100)}" and its value have ${bytes} bytes. The limit is ${MAX_WRITE_BYTES}. Split the value.`,
  )
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
