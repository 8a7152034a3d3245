import type { Client } from '../storage/records.ts'

/** True if refresh tokens are enabled and the client did not register without them (RFC 7591 2). */
export function mayRefresh(
  options: { refreshTokenTTL: number | undefined },
  { grant_types }: Client,
): boolean {
  return options.refreshTokenTTL !== undefined && (grant_types?.includes('refresh_token') ?? true)
}
