/** Operations on the key-value store of a server and environment (`context.store`). Values are JSON text. */

/** Maximum size of a key, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 2048
/** Maximum total size of the keys and values that one write or transaction covers, in UTF-8 bytes. */
export const MAX_WRITE_BYTES = 128 * 1024
/** Maximum number of keys that one transaction reads or writes. */
export const MAX_TRANSACTION_KEYS = 1000
/** Maximum number of entries in one result of `list`. */
export const MAX_PAGE_ENTRIES = 1000
/** A result of `list` ends with the entry that brings its size above this many bytes. */
export const MAX_PAGE_BYTES = 256 * 1024
/** Maximum total size of all keys and values in one store, in UTF-8 bytes. */
export const MAX_STORE_BYTES = 100 * 1024 * 1024
/** Maximum number of operations in one message. */
export const MAX_BATCH = 1000
export const MAX_SCOPE_BYTES = 1024

/** Part of a store that is shared by all users (the empty text) or belongs to one user (`user:<subject>`). */
export type StateScope = string

export const USER_SCOPE = 'user:'

export type StateOperation =
  | { op: 'get'; scope: StateScope; key: string }
  | {
      op: 'list'
      scope: StateScope
      prefix: string
      /** Only keys after this one, in the order of the list. */
      after?: string
      limit: number
      reverse?: boolean
      /** The result has the `range` that a later `commit` checks. */
      isTracked?: boolean
    }
  | Commit

/** Applies all writes, or none if a check fails because another client changed what was read. */
export interface Commit {
  op: 'commit'
  scope: StateScope
  checks?: StateCheck[]
  writes: StateWrite[]
}

export type StateCheck =
  /** `version`: as returned by `get`. 0: the key does not exist. */
  | { key: string; version: number }
  /** As returned by `list`. */
  | ({ prefix: string } & StateRange)

/** Identifies the content of a range: any change to its entries changes one of these numbers. */
export interface StateRange {
  count: number
  /** Highest version of an entry. */
  version: number
}

export type StateWrite =
  | { key: string; value: string; ttlMs?: number }
  /** Keeps the expiry of an existing entry. */
  | { key: string; by: number; ttlMs?: number }
  | { key: string; isDeleted: true }

type StateErrorCode =
  | 'INVALID_KEY'
  | 'INVALID_VALUE'
  | 'TOO_LARGE'
  | 'STORE_FULL'
  | 'NOT_A_NUMBER'
  | 'CONFLICT'
  | 'UNAVAILABLE'

export interface StateError {
  code: StateErrorCode
  message: string
}

export type StateResult =
  /** Result of `get`. `value` is null when the key does not exist. */
  | { value: string | null; version: number }
  /** Result of `list`: keys and values. `isWhole`: no more entries follow. */
  | { entries: [key: string, value: string][]; isWhole: boolean; range?: StateRange }
  /** Results of `commit`, one per write. `increment`: the sum. Deletion: whether the key existed. */
  | { results: (number | boolean | null)[] }
  | { isConflict: true }
  | { error: StateError }

/** Executes operations. Each is atomic, and a `commit` is durable when its result arrives. */
export interface StateBackend {
  run(operation: StateOperation): Promise<StateResult>
}

export function notANumber(key: string): { error: StateError } {
  const message = `The value of "${key.slice(0, 100)}" is not a number that can be incremented by this amount.`
  return { error: { code: 'NOT_A_NUMBER', message } }
}

export function storeFull(maxBytes: number): { error: StateError } {
  const message = `The store is full. The limit for a server in one environment is ${maxBytes} bytes. Delete entries, or give them an expiry.`
  return { error: { code: 'STORE_FULL', message } }
}

/** Sum as JSON text. `value`: the current value, if any. Undefined when `value` is not a number or the sum is not finite. */
export function incrementText(value: string | undefined, by: number): string | undefined {
  const number: unknown = value === undefined ? 0 : JSON.parse(value)
  const sum = typeof number === 'number' ? number + by : Number.NaN
  return Number.isFinite(sum) ? JSON.stringify(sum) : undefined
}
