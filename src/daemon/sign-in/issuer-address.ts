/** Lifetime of a refresh token. Users of a client sign in again after a month without use. */
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600
/** Default lifetime of an access token. */
export const ACCESS_TOKEN_SECONDS = 3600

/** Issuer of the tokens for an address `<server>/<environment>`. `origin`: URL of the daemon. */
export function issuerOf(origin: string, address: string): string {
  return `${origin}/auth/${address}`
}
