import { randomToken } from '../secrets.ts'

/** Claims of RFC 9068 2.2. */
export interface AccessTokenClaims {
  iss: string
  sub: string
  aud: string | string[]
  exp: number
  iat: number
  jti: string
  client_id: string
  scope: string
  nbf?: number
  [claim: string]: unknown
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

/** Grant of a token. Revoking the grant revokes the token. */
export function grantIdOf(claims: AccessTokenClaims): string {
  return claims.jti.split('.')[0]!
}
