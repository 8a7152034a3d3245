import type { OAuthStorage, RecordKind } from '../../sdk/oauth/storage/storage.ts'

/** One issuer's part of a storage that all of them share: its kinds carry its name, so that counts are its own too. */
export function placeStorage(storage: OAuthStorage, place: string): OAuthStorage {
  const own = (kind: RecordKind) => `${place} ${kind}` as RecordKind
  return {
    get: (kind, key) => storage.get(own(kind), key),
    put: (kind, key, value, expiresAt) => storage.put(own(kind), key, value, expiresAt),
    insert: (kind, key, value, expiresAt) => storage.insert(own(kind), key, value, expiresAt),
    delete: (kind, key) => storage.delete(own(kind), key),
    count: kind => storage.count(own(kind)),
  }
}
