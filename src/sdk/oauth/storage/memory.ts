import type { OAuthStorage, RecordKind } from './storage.ts'

export interface MemoryStorageOptions {
  /** Maximum number of unexpired records. Default: 100,000. Additional writes throw. */
  maxRecords?: number
  /** Seconds since 1970. */
  now?: () => number
}

interface StoredRecord {
  kind: RecordKind
  /** JSON, so that callers cannot change a stored record. */
  json: string
  expiresAt: number
}

/** In-memory storage for development and tests. */
export function memoryStorage(options: MemoryStorageOptions = {}): OAuthStorage {
  const { maxRecords = 100_000, now = () => Date.now() / 1000 } = options
  const records = new Map<string, StoredRecord>()
  const find = (kind: RecordKind, key: string) => {
    const kept = records.get(`${kind} ${key}`)
    return kept && kept.expiresAt > now() ? kept : undefined
  }
  const put = (kind: RecordKind, key: string, value: unknown, expiresAt = Number.POSITIVE_INFINITY) => {
    if (records.size >= maxRecords && !records.has(`${kind} ${key}`)) makeRoom(records, maxRecords, now())
    records.set(`${kind} ${key}`, { kind, json: JSON.stringify(value), expiresAt })
  }
  return {
    async get<T>(kind: RecordKind, key: string) {
      const kept = find(kind, key)
      return kept && (JSON.parse(kept.json) as T)
    },
    async put(kind, key, value, expiresAt) {
      put(kind, key, value, expiresAt)
    },
    async insert(kind, key, value, expiresAt) {
      if (find(kind, key)) return false
      put(kind, key, value, expiresAt)
      return true
    },
    async delete(kind, key) {
      records.delete(`${kind} ${key}`)
    },
    async count(kind) {
      const time = now()
      return [...records.values()].filter(kept => kept.kind === kind && kept.expiresAt > time).length
    },
  }
}

function makeRoom(records: Map<string, StoredRecord>, maxRecords: number, time: number): void {
  for (const [key, { expiresAt }] of records) if (expiresAt <= time) records.delete(key)
  if (records.size >= maxRecords)
    throw new Error(`The OAuth storage is full: it contains the maximum of ${maxRecords} records.`)
}
