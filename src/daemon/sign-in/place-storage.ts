import type { OAuthStorage, RecordKind } from '../../sdk/oauth/storage/storage.ts'

/**
 * One issuer's part of a storage that all of them share: its kinds carry its name, so that counts are its own too. `onRevoked`: of a grant or
 * a token, after it was written. `until`: Unix seconds.
 */
export function placeStorage(
  storage: OAuthStorage,
  place: string,
  onRevoked: (id: string, until: number) => void,
): OAuthStorage {
  const own = (kind: RecordKind) => `${place} ${kind}` as RecordKind
  return {
    get: (kind, key) => storage.get(own(kind), key),
    async put(kind, key, value, expiresAt) {
      await storage.put(own(kind), key, value, expiresAt)
      if (kind === 'revoked') onRevoked(key, expiresAt ?? Number.POSITIVE_INFINITY)
    },
    insert: (kind, key, value, expiresAt) => storage.insert(own(kind), key, value, expiresAt),
    delete: (kind, key) => storage.delete(own(kind), key),
    count: kind => storage.count(own(kind)),
  }
}
