import { authenticateClient } from '../clients/authenticate-client.ts'
import type { Component, Endpoint } from '../component.ts'
import { readForm } from '../http/request-body.ts'
import { OAuthError } from '../oauth-error.ts'
import { findAccessToken } from '../tokens/active-token.ts'
import { revokeGrant } from '../tokens/grants.ts'
import { readRefreshToken } from '../tokens/refresh-token.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../tokens/verify-access-token.ts'

/**
 * POST revoke (RFC 7009). For a refresh token, revokes the whole grant. For an access token, revokes only the token. Also answers
 * 200 to an unknown token or a token of another client (2.2), but does not revoke that token.
 */
export const revoke: Endpoint = async (component, request) => {
  const parameters = await readForm(request)
  const { client_id: clientId } = await authenticateClient(component, request, parameters)
  const token = parameters.get('token')
  if (token === undefined) throw new OAuthError('invalid_request', 'The request has no token.')
  const refreshToken = readRefreshToken(component.sealer, clientId, token)
  if (refreshToken) await revokeGrant(component, refreshToken.grantId)
  else await revokeAccessToken(component, clientId, token)
  return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } })
}

async function revokeAccessToken(component: Component, clientId: string, token: string): Promise<void> {
  const claims = await findAccessToken(component, token)
  if (claims?.client_id !== clientId) return
  await component.storage.put('revoked', claims.jti, {}, claims.exp + CLOCK_TOLERANCE_SECONDS)
}
