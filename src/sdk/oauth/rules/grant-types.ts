import type { Client } from '../storage/records.ts'

/** Whether a client gets refresh tokens: they are switched on, and it did not register without them (RFC 7591 2). */
export function mayRefresh(on: { refreshTokenTTL: number | undefined }, { grant_types }: Client): boolean {
  return on.refreshTokenTTL !== undefined && (grant_types?.includes('refresh_token') ?? true)
}
