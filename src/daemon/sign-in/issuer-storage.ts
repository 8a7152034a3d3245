import type { OAuthStorage, RecordKind } from '../../sdk/oauth/storage/storage.ts'

/**
 * The part of a shared storage that belongs to one issuer. Kinds get a prefix, which also separates the counts. Calls
 * `onRevoked` after a revoked grant or token is written. `until` is in Unix seconds.
 */
export function issuerStorage(
  storage: OAuthStorage,
  address: string,
  onRevoked: (id: string, until: number) => void,
): OAuthStorage {
  const own = (kind: RecordKind) => `${address} ${kind}` as RecordKind
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
