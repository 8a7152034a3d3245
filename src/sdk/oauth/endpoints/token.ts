import { authenticateClient } from '../clients/authenticate-client.ts'
import type { Endpoint } from '../component.ts'
import { readForm } from '../http/request-body.ts'
import { jsonResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { mayRefresh } from '../rules/grant-types.ts'
import { redeemCode } from '../tokens/redeem-code.ts'
import { redeemRefreshToken } from '../tokens/redeem-refresh-token.ts'

/** POST token (RFC 6749 4.1.3, 6). */
export const token: Endpoint = async (component, request) => {
  const parameters = await readForm(request)
  const client = await authenticateClient(component, request, parameters)
  const grantType = parameters.get('grant_type')
  if (grantType === 'authorization_code') return jsonResponse(await redeemCode(component, client, parameters))
  if (grantType === 'refresh_token' && component.refreshTokenTTL !== undefined) {
    if (!mayRefresh(component, client)) {
      throw new OAuthError('unauthorized_client', 'The client is not registered for refresh tokens.')
    }
    return jsonResponse(await redeemRefreshToken(component, client, parameters))
  }
  if (grantType === undefined) throw new OAuthError('invalid_request', 'The request has no grant_type.')
  throw new OAuthError(
    'unsupported_grant_type',
    `The grant_type "${grantType.slice(0, 64)}" is not supported.`,
  )
}
