import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AccessTokenClaims, grantIdOf } from './access-token.ts'

/** Claims of a valid token that is not revoked. Throws OAuthError `invalid_token`. */
export async function verifyActiveToken(
  { verifyToken, storage }: Component,
  token: string,
  audience: string | undefined,
): Promise<AccessTokenClaims> {
  const claims = await verifyToken(token, audience)
  const marks = await Promise.all([grantIdOf(claims), claims.jti].map(id => storage.get('revoked', id)))
  if (marks.some(mark => mark !== undefined)) throw new OAuthError('invalid_token', 'The token is revoked.')
  return claims
}

/** Undefined for a token that is invalid or revoked. Throws OAuthError `temporarily_unavailable`. */
export async function findAccessToken(
  component: Component,
  token: string,
): Promise<AccessTokenClaims | undefined> {
  try {
    return await verifyActiveToken(component, token, undefined)
  } catch (error) {
    if (error instanceof OAuthError && error.code === 'invalid_token') return undefined
    throw error
  }
}
