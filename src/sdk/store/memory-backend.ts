import {
  type Commit,
  incrementText,
  MAX_PAGE_BYTES,
  MAX_STORE_BYTES,
  notANumber,
  type StateBackend,
  type StateCheck,
  type StateOperation,
  type StateRange,
  type StateResult,
  type StateScope,
  type StateWrite,
  storeFull,
} from '../../shared/instances/state-operations.ts'
import { byteLength, compareKeys } from './keys.ts'

export interface StoredEntry {
  scope: StateScope
  key: string
  /** JSON. Null: deleted. */
  value: string | null
  /** Unix milliseconds. */
  expiresAt?: number
}

type Entry = { value: string; version: number; expiresAt?: number }
type Entries = Map<string, Entry>

export interface MemoryBackendOptions {
  now?: () => number
  maxBytes?: number
  /** Receives the changes of a commit before its result is returned. */
  onCommit?(changes: StoredEntry[]): Promise<void>
}

/** Entries in memory, for unit tests of handlers and exported servers. */
export class MemoryBackend implements StateBackend {
  readonly #scopes = new Map<StateScope, Entries>()
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #onCommit: ((changes: StoredEntry[]) => Promise<void>) | undefined
  #version = 0
  #bytes = 0

  constructor({ now = Date.now, maxBytes = MAX_STORE_BYTES, onCommit }: MemoryBackendOptions = {}) {
    this.#now = now
    this.#maxBytes = maxBytes
    this.#onCommit = onCommit
  }

  async run(operation: StateOperation): Promise<StateResult> {
    this.#removeExpired()
    if (operation.op === 'get') {
      const entry = this.#entries(operation.scope).get(operation.key)
      return { value: entry?.value ?? null, version: entry?.version ?? 0 }
    }
    return operation.op === 'list' ? this.#list(operation) : this.#commit(operation)
  }

  /** All entries, in no particular order. */
  *all(): Iterable<StoredEntry> {
    this.#removeExpired()
    for (const [scope, entries] of this.#scopes)
      for (const [key, { value, expiresAt }] of entries)
        yield { scope, key, value, ...(expiresAt !== undefined && { expiresAt }) }
  }

  /** Applies previously committed changes. */
  restore(changes: readonly StoredEntry[]): void {
    const version = ++this.#version
    for (const { scope, key, value, expiresAt } of changes) {
      const entries = this.#entries(scope)
      this.#bytes -= sizeOf(key, entries.get(key))
      entries.delete(key)
      if (value === null) continue
      const entry = { value, version, ...(expiresAt !== undefined && { expiresAt }) }
      entries.set(key, entry)
      this.#bytes += sizeOf(key, entry)
    }
  }

  #list({ scope, prefix, after, limit, reverse, isTracked }: Extract<StateOperation, { op: 'list' }>) {
    const sign = reverse ? -1 : 1
    const found = this.#inRange(scope, prefix).sort(([a], [b]) => sign * compareKeys(a, b))
    const behind = found.filter(([key]) => after === undefined || sign * compareKeys(key, after) > 0)
    const page: [string, string][] = []
    for (let bytes = 0; page.length < Math.min(limit, behind.length) && bytes <= MAX_PAGE_BYTES; ) {
      const [key, entry] = behind[page.length]!
      page.push([key, entry.value])
      bytes += sizeOf(key, entry)
    }
    return {
      entries: page,
      isWhole: page.length === behind.length,
      ...(isTracked && { range: rangeOf(found) }),
    }
  }

  async #commit({ scope, checks = [], writes }: Commit): Promise<StateResult> {
    if (!checks.every(check => this.#holds(scope, check))) return { isConflict: true }
    const results: (number | boolean | null)[] = []
    const changes: StoredEntry[] = []
    for (const write of writes) {
      const change = this.#changeOf(scope, write)
      if (change === undefined) return notANumber(write.key)
      changes.push(change)
      results.push(resultOf(write, change, this.#entries(scope).has(write.key)))
    }
    const grown = changes.reduce((sum, { key, value }) => {
      const before = sizeOf(key, this.#entries(scope).get(key))
      return sum + sizeOf(key, value === null ? undefined : { value }) - before
    }, 0)
    if (grown > 0 && this.#bytes + grown > this.#maxBytes) return storeFull(this.#maxBytes)
    this.restore(changes)
    if (changes.length > 0) await this.#onCommit?.(changes)
    return { results }
  }

  /** Undefined for an increment whose sum is not a finite number. */
  #changeOf(scope: StateScope, write: StateWrite): StoredEntry | undefined {
    const { key } = write
    if ('isDeleted' in write) return { scope, key, value: null }
    const expiresAt = write.ttlMs === undefined ? undefined : this.#now() + write.ttlMs
    const known = 'by' in write ? this.#entries(scope).get(key) : undefined
    const kept = known ? known.expiresAt : expiresAt
    const value = 'by' in write ? incrementText(known?.value, write.by) : write.value
    return value === undefined
      ? undefined
      : { scope, key, value, ...(kept !== undefined && { expiresAt: kept }) }
  }

  #holds(scope: StateScope, check: StateCheck): boolean {
    if ('key' in check) return (this.#entries(scope).get(check.key)?.version ?? 0) === check.version
    const { count, version } = rangeOf(this.#inRange(scope, check.prefix))
    return count === check.count && version === check.version
  }

  #inRange(scope: StateScope, prefix: string): [string, Entry][] {
    return [...this.#entries(scope)].filter(([key]) => key.startsWith(prefix))
  }

  #entries(scope: StateScope): Entries {
    const known = this.#scopes.get(scope)
    if (known) return known
    const made: Entries = new Map()
    this.#scopes.set(scope, made)
    return made
  }

  #removeExpired(): void {
    const now = this.#now()
    for (const entries of this.#scopes.values())
      for (const [key, entry] of entries) {
        if (entry.expiresAt === undefined || entry.expiresAt > now) continue
        entries.delete(key)
        this.#bytes -= sizeOf(key, entry)
      }
  }
}

function sizeOf(key: string, entry: { value: string } | undefined): number {
  return entry ? byteLength(key) + byteLength(entry.value) : 0
}

function rangeOf(entries: readonly (readonly [string, Entry])[]): StateRange {
  const version = entries.reduce((highest, [, entry]) => Math.max(highest, entry.version), 0)
  return { count: entries.length, version }
}

function resultOf(write: StateWrite, { value }: StoredEntry, existed: boolean): number | boolean | null {
  if ('isDeleted' in write) return existed
  return 'by' in write ? Number(value) : null
}
