import type { Client } from '../storage/records.ts'

/** True if refresh tokens are enabled and the client did not register without them (RFC 7591 2). */
export function mayRefresh(on: { refreshTokenTTL: number | undefined }, { grant_types }: Client): boolean {
  return on.refreshTokenTTL !== undefined && (grant_types?.includes('refresh_token') ?? true)
}
