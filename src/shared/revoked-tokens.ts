import type { TenantAuth } from './instance-protocol.ts'

/** Ids of tokens, or of the grants that tokens were issued from, each with when the last of them ends (Unix seconds). */
export type RevokedTokens = Record<string, number>

/** Longest life of an access token (`token_ttl` of `deploy.auth`): what was revoked before needs no looking at. */
const LONGEST_TOKEN_SECONDS = 86_400

/** Adds to what an instance refuses, and drops whose time is over. */
export function addRevoked(auth: TenantAuth, more: RevokedTokens, now = Date.now() / 1000): void {
  for (const [id, until] of Object.entries(auth.revoked)) if (until <= now) delete auth.revoked[id]
  for (const [id, until] of Object.entries(more))
    auth.revoked[id] = Math.min(until, now + LONGEST_TOKEN_SECONDS)
}
