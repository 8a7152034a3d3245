import {
  type Commit,
  MAX_TRANSACTION_KEYS,
  MAX_WRITE_BYTES,
  type StateBackend,
  type StateCheck,
  type StateScope,
  type StateWrite,
} from '../../shared/instances/state-operations.ts'
import { byteLength, checkKey, compareKeys } from './keys.ts'
import { checkList, expiry, readPages, run } from './operations.ts'
import type { ExpiryOptions, ListOptions, StoreEntry, StoreTransaction } from './store.ts'
import { storeError } from './store-error.ts'
import { toJson } from './values.ts'

type Write = Exclude<StateWrite, { by: number }>

/**
 * One attempt at a transaction. Remembers what it read, and keeps its writes until `finish`. Its methods are fields, so that
 * `const { get, set } = transaction` works.
 */
export class Transaction implements StoreTransaction {
  readonly #backend: StateBackend
  readonly #scope: StateScope
  /** Keyed by key or range. */
  readonly #checks = new Map<string, StateCheck>()
  readonly #writes = new Map<string, Write>()
  #isFinished = false

  constructor(backend: StateBackend, scope: StateScope) {
    this.#backend = backend
    this.#scope = scope
  }

  readonly get = async <Value = unknown>(key: string): Promise<Value | undefined> => {
    this.#requireOpen()
    const written = this.#writes.get(checkKey(key))
    if (written) return 'value' in written ? JSON.parse(written.value) : undefined
    const { value, version } = (await run(this.#backend, { op: 'get', scope: this.#scope, key })) as {
      value: string | null
      version: number
    }
    this.#remember(`key ${key}`, { key, version })
    return value === null ? undefined : JSON.parse(value)
  }

  readonly list = async <Value = unknown>(
    prefix = '',
    options: ListOptions = {},
  ): Promise<StoreEntry<Value>[]> => {
    this.#requireOpen()
    const { limit, ...rest } = checkList(prefix, options)
    // Each pending deletion in this transaction may hide one stored entry.
    const wanted = { prefix, ...rest, limit: limit + this.#writes.size, isTracked: true }
    const stored = await readPages(this.#backend, this.#scope, wanted, ({ range }) =>
      this.#remember(`range ${prefix}`, { prefix, ...range! }),
    )
    return this.#withWrites(stored, prefix, options)
      .slice(0, limit)
      .map(([key, value]) => ({ key, value: JSON.parse(value) }))
  }

  readonly set = (key: string, value: unknown, options?: ExpiryOptions): void => {
    this.#requireOpen()
    this.#writes.set(checkKey(key), { key, value: toJson(value), ...expiry(options) })
  }

  readonly delete = (key: string): void => {
    this.#requireOpen()
    this.#writes.set(checkKey(key), { key, isDeleted: true })
  }

  finish(): Commit {
    this.#isFinished = true
    const checks = [...this.#checks.values()]
    const writes = [...this.#writes.values()]
    checkSize(checks, writes)
    return { op: 'commit', scope: this.#scope, checks, writes }
  }

  /** Keeps the first version, so that a change between two reads is a conflict. */
  #remember(id: string, check: StateCheck): void {
    if (!this.#checks.has(id)) this.#checks.set(id, check)
  }

  #requireOpen(): void {
    if (this.#isFinished)
      throw new Error('The transaction has finished. Await its operations inside the function.')
  }

  #withWrites(stored: [string, string][], prefix: string, { after, reverse }: ListOptions) {
    const sign = reverse ? -1 : 1
    const isListed = (key: string) =>
      key.startsWith(prefix) && (after === undefined || sign * compareKeys(key, after) > 0)
    const entries = new Map(stored)
    for (const write of this.#writes.values()) {
      if ('value' in write && isListed(write.key)) entries.set(write.key, write.value)
      else entries.delete(write.key)
    }
    return [...entries].sort(([a], [b]) => sign * compareKeys(a, b))
  }
}

function checkSize(checks: readonly StateCheck[], writes: readonly Write[]): void {
  const keys = checks.length + writes.length
  if (keys > MAX_TRANSACTION_KEYS)
    throw storeError(
      'TOO_LARGE',
      `The transaction reads and writes ${keys} keys. The limit is ${MAX_TRANSACTION_KEYS}. Split the transaction.`,
    )
  const texts = [
    ...checks.map(check => ('key' in check ? check.key : check.prefix)),
    ...writes.flatMap(write => [write.key, 'value' in write ? write.value : '']),
  ]
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0)
  if (bytes > MAX_WRITE_BYTES)
    throw storeError(
      'TOO_LARGE',
      `The keys and values of the transaction have ${bytes} bytes. The limit is ${MAX_WRITE_BYTES}. Split the transaction.`,
    )
}
