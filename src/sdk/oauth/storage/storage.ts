/** What the component keeps. `new-client`: nobody signed in with it yet. `revoked` and `spent` are marks; `signing-key` is there with asymmetric keys only. */
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
 * Where clients, grants and hashes of codes and tokens are kept. Values are plain JSON. A record whose time is over must be
 * given by no method, though it may be removed later.
 */
export interface OAuthStorage {
  get<T>(kind: RecordKind, key: string): Promise<T | undefined>
  /** Creates or replaces. `expiresAt`: seconds since 1970; without it the record stays. */
  put(kind: RecordKind, key: string, value: unknown, expiresAt?: number): Promise<void>
  /** Creates; false, with nothing changed, when there is one. Of two calls at once exactly one gives true. */
  insert(kind: RecordKind, key: string, value: unknown, expiresAt?: number): Promise<boolean>
  delete(kind: RecordKind, key: string): Promise<void>
  count(kind: RecordKind): Promise<number>
}
