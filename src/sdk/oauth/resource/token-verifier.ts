import { createRemoteJWKSet } from 'jose'
import type { AccessTokenClaims } from '../tokens/access-token.ts'
import type { SigningAlgorithm } from '../tokens/signing-algorithm.ts'
import { createAccessTokenVerifier } from '../tokens/verify-access-token.ts'

/** Returns the claims of a token for `audience`. Throws OAuthError `invalid_token` or `temporarily_unavailable`. */
export type TokenVerifier = (token: string, audience: string) => Promise<AccessTokenClaims>

/** Keys of an issuer in another process. The algorithm is fixed, so that a token cannot choose it. */
export type IssuerKeys =
  | { issuer: string; signingSecret: string }
  | { issuer: string; jwksUri: string; algorithm: Exclude<SigningAlgorithm, 'HS256'> }

/** Verifies tokens by key only. Revoked tokens stay valid until they expire. */
export function createTokenVerifier(
  keys: IssuerKeys,
  now: () => number = () => Date.now() / 1000,
): TokenVerifier {
  const { issuer } = keys
  if ('signingSecret' in keys) {
    const secret = new TextEncoder().encode(keys.signingSecret)
    return createAccessTokenVerifier({ issuer, algorithm: 'HS256', key: async () => secret, now })
  }
  const { algorithm } = keys
  const jwks = createRemoteJWKSet(new URL(keys.jwksUri))
  return createAccessTokenVerifier({ issuer, algorithm, key: kid => jwks({ alg: algorithm, kid }), now })
}
