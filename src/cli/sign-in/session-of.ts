import type { Client, TokenEndpointResponse } from 'oauth4webapi'
import type { ApiSession } from '../api/credentials.ts'

/** Session from a token response. Without a new refresh token, the previous one stays valid (RFC 6749 6). */
export function toSession(
  tokens: TokenEndpointResponse,
  {
    issuer,
    resource,
    client,
    refreshToken,
  }: { issuer: string; resource: string; client: Client; refreshToken?: string },
): ApiSession {
  const { access_token, expires_in, refresh_token = refreshToken } = tokens
  return {
    issuer,
    resource,
    clientId: client.client_id,
    ...(typeof client.client_secret === 'string' && { clientSecret: client.client_secret }),
    ...(client.token_endpoint_auth_method && { clientAuth: client.token_endpoint_auth_method as string }),
    accessToken: access_token,
    ...(expires_in !== undefined && { expiresAt: Math.floor(Date.now() / 1000) + expires_in }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
  }
}
