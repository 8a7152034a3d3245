import { createRemoteJWKSet } from 'jose'
import type { AccessTokenClaims } from '../tokens/access-token.ts'
import type { SigningAlgorithm } from '../tokens/signing-algorithm.ts'
import { createAccessTokenVerifier } from '../tokens/verify-access-token.ts'

/** Claims of a token that is meant for `audience`. Errors: OAuthError `invalid_token`. */
export type TokenVerifier = (token: string, audience: string) => Promise<AccessTokenClaims>

/** How tokens of an issuer in another process are verified. One algorithm, so that no token can choose another. */
export type IssuerKeys =
  | { issuer: string; signingSecret: string }
  | { issuer: string; jwksUri: string; algorithm: Exclude<SigningAlgorithm, 'HS256'> }

/** Verifies by key alone: a revoked token is good until it expires, unless the authorization server itself is asked. */
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
