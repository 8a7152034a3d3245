/** Ids of tokens, or of the grants of tokens, with the time from which the last token is no longer accepted (Unix seconds). */
export type RevokedTokens = Record<string, number>

/** Maximum lifetime of an access token (`token_ttl` of `deploy.auth`), and the clock tolerance of its verification. */
const LONGEST_TOKEN_SECONDS = 86_400 + 5

/** Adds tokens to `revoked` and removes expired ones. */
export function addRevoked(revoked: RevokedTokens, more: RevokedTokens, now = Date.now() / 1000): void {
  for (const [id, until] of Object.entries(revoked)) if (until <= now) delete revoked[id]
  for (const [id, until] of Object.entries(more)) revoked[id] = Math.min(until, now + LONGEST_TOKEN_SECONDS)
}
