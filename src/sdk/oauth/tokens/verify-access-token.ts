import { type CryptoKey, type JWTPayload, jwtVerify } from 'jose'
import { OAuthError } from '../oauth-error.ts'
import { canonicalResource } from '../rules/resource.ts'
import { hashToken } from '../secrets.ts'
import type { AccessTokenClaims } from './access-token.ts'
import { ACCESS_TOKEN_TYPE } from './signing.ts'
import type { SigningAlgorithm } from './signing-algorithm.ts'

export interface VerificationKeys {
  issuer: string
  /** The only accepted algorithm. A token with another algorithm in its header is rejected (RFC 8725 3.1). */
  algorithm: SigningAlgorithm
  key(kid: string | undefined): Promise<CryptoKey | Uint8Array>
  /** Seconds since 1970. */
  now(): number
}

/** Returns the claims of a token. Undefined `audience`: any. Throws OAuthError `invalid_token` or `temporarily_unavailable`. */
export type AccessTokenVerifier = (token: string, audience: string | undefined) => Promise<AccessTokenClaims>

/** Maximum time for which a verified token is cached. Clients send a token many times, and verifying its signature is slow. */
const REMEMBERED_SECONDS = 60
const MAX_REMEMBERED = 1000

/** jose's errors for a JWKS that cannot be fetched or is invalid. */
const UNAVAILABLE = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

/** A token is accepted for this long after it expires. */
export const CLOCK_TOLERANCE_SECONDS = 5

/** Verifies tokens as specified in RFC 9068 4. Caches valid tokens by hash, at most until they expire. */
export function createAccessTokenVerifier(keys: VerificationKeys): AccessTokenVerifier {
  const remembered = new Map<string, { claims: AccessTokenClaims; until: number }>()
  const verify = async (token: string) => {
    const hash = hashToken(token)
    const known = remembered.get(hash)
    if (known && keys.now() < known.until) return known.claims
    remembered.delete(hash)
    const claims = requireComplete(await verifyJwt(token, keys))
    if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
    remembered.set(hash, { claims, until: Math.min(claims.exp, keys.now() + REMEMBERED_SECONDS) })
    return claims
  }
  return async (token, audience) => {
    const claims = await verify(token)
    if (audience === undefined || isFor(claims, audience)) return claims
    throw new OAuthError('invalid_token', 'The token was issued for another resource.')
  }
}

function requireComplete(claims: JWTPayload): AccessTokenClaims {
  const isComplete = [claims.sub, claims.jti, claims.client_id].every(claim => typeof claim === 'string')
  if (!isComplete)
    throw new OAuthError('invalid_token', 'The token does not have all claims of an access token.')
  return { ...claims, scope: typeof claims.scope === 'string' ? claims.scope : '' } as AccessTokenClaims
}

async function verifyJwt(
  token: string,
  { issuer, algorithm, key, now }: VerificationKeys,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, header => key(header.kid), {
      issuer,
      algorithms: [algorithm],
      typ: ACCESS_TOKEN_TYPE,
      requiredClaims: ['exp', 'iat', 'sub', 'jti', 'aud'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now() * 1000),
    })
    return payload
  } catch (cause) {
    if (cause instanceof OAuthError) throw cause
    const { code } = cause as { code?: string }
    // The issuer's keys are unavailable. The token may be valid.
    if (code === undefined || UNAVAILABLE.has(code)) {
      throw new OAuthError(
        'temporarily_unavailable',
        'The token cannot be verified, because the issuer cannot provide its keys.',
        {
          cause,
        },
      )
    }
    const isExpired = code === 'ERR_JWT_EXPIRED'
    throw new OAuthError('invalid_token', isExpired ? 'The token has expired.' : 'The token is invalid.', {
      cause,
    })
  }
}

/** Compares canonical forms: "https://host" and "https://host/" are the same resource. */
function isFor(claims: JWTPayload, audience: string): boolean {
  const expected = canonicalResource(audience) ?? audience
  return [claims.aud ?? []].flat().some(value => (canonicalResource(value) ?? value) === expected)
}
