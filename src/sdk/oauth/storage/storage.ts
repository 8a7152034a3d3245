/** `new-client`: registered client without a sign-in. `spent`, `revoked`: markers. `signing-key`: asymmetric keys only. */
export type RecordKind =
  | 'client'
  | 'new-client'
  | 'sign-in'
  | 'code'
  | 'grant'
  | 'refresh-family'
  | 'spent'
  | 'revoked'
  | 'signing-key'

/**
 * Storage of clients, grants, and hashes of codes and tokens. Values are plain JSON. No method may return or count expired
 * records, which may be removed later.
 */
export interface OAuthStorage {
  get<T>(kind: RecordKind, key: string): Promise<T | undefined>
  /** Creates or replaces a record. `expiresAt`: seconds since 1970. Without it, the record never expires. */
  put(kind: RecordKind, key: string, value: unknown, expiresAt?: number): Promise<void>
  /** Creates a record. Returns false when the key exists. Of concurrent calls, exactly one must return true. */
  insert(kind: RecordKind, key: string, value: unknown, expiresAt?: number): Promise<boolean>
  delete(kind: RecordKind, key: string): Promise<void>
  count(kind: RecordKind): Promise<number>
}
