import { type CryptoKey, type JWTPayload, jwtVerify } from 'jose'
import { OAuthError } from '../oauth-error.ts'
import { canonicalResource } from '../rules/resource.ts'
import { randomToken } from '../secrets.ts'
import { ACCESS_TOKEN_TYPE, type SigningAlgorithm } from './signing.ts'

/** Claims of RFC 9068 2.2. */
export interface AccessTokenClaims extends JWTPayload {
  iss: string
  sub: string
  aud: string | string[]
  exp: number
  iat: number
  jti: string
  client_id: string
  scope: string
}

export interface TokenContents {
  issuer: string
  subject: string
  clientId: string
  scope: readonly string[]
  resources: readonly string[]
  grantId: string
  issuedAt: number
  ttlSeconds: number
  signedInAt?: number
}

export function accessTokenClaims(contents: TokenContents): AccessTokenClaims {
  const { resources, issuedAt } = contents
  return {
    iss: contents.issuer,
    sub: contents.subject,
    aud: resources.length === 1 ? resources[0]! : [...resources],
    exp: issuedAt + contents.ttlSeconds,
    iat: issuedAt,
    jti: `${contents.grantId}.${randomToken(12)}`,
    client_id: contents.clientId,
    scope: contents.scope.join(' '),
    ...(contents.signedInAt !== undefined && { auth_time: contents.signedInAt }),
  }
}

/** The grant that a token was issued from: with it the token is revoked. */
export function grantIdOf(claims: AccessTokenClaims): string {
  return claims.jti.split('.')[0]!
}

export interface TokenExpectation {
  issuer: string
  /** Undefined: any; only for the issuer's own endpoints. */
  audience: string | undefined
  /** The only algorithm taken, whatever the token's header says (RFC 8725 3.1). */
  algorithm: SigningAlgorithm
  key(kid: string | undefined): Promise<CryptoKey | Uint8Array>
  /** Seconds since 1970. */
  now(): number
}

/** Errors of jose for a JWKS that does not come, or is none. */
const UNAVAILABLE = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

const CLOCK_TOLERANCE_SECONDS = 5

/** Verifies as RFC 9068 4 says. Errors: `invalid_token`, with the reason that the client may know. */
export async function verifyAccessToken(
  token: string,
  expected: TokenExpectation,
): Promise<AccessTokenClaims> {
  const claims = await verifyJwt(token, expected)
  const isComplete = [claims.sub, claims.jti, claims.client_id].every(claim => typeof claim === 'string')
  if (!isComplete) throw new OAuthError('invalid_token', 'The token lacks a claim of an access token.')
  if (expected.audience !== undefined && !isFor(claims, expected.audience)) {
    throw new OAuthError('invalid_token', 'The token was issued for another resource.')
  }
  return { ...claims, scope: typeof claims.scope === 'string' ? claims.scope : '' } as AccessTokenClaims
}

async function verifyJwt(
  token: string,
  { issuer, algorithm, key, now }: TokenExpectation,
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
    // The issuer's keys cannot be had: that is not the token's fault.
    if (code === undefined || UNAVAILABLE.has(code)) {
      throw new OAuthError('temporarily_unavailable', 'The token cannot be verified at the moment.', {
        cause,
      })
    }
    const isExpired = code === 'ERR_JWT_EXPIRED'
    throw new OAuthError('invalid_token', isExpired ? 'The token is expired.' : 'The token is not valid.', {
      cause,
    })
  }
}

/** Both sides in one spelling: "https://host" and "https://host/" name the same resource. */
function isFor(claims: JWTPayload, audience: string): boolean {
  const expected = canonicalResource(audience) ?? audience
  return [claims.aud ?? []].flat().some(value => (canonicalResource(value) ?? value) === expected)
}
