import { authenticateClient } from '../clients/authenticate-client.ts'
import type { Component, Endpoint } from '../component.ts'
import { readForm } from '../http/request-body.ts'
import { jsonResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import type { RefreshFamilyRecord } from '../storage/records.ts'
import { findAccessToken } from '../tokens/active-token.ts'
import { findGrant } from '../tokens/grants.ts'
import { readRefreshToken } from '../tokens/refresh-token.ts'

/**
 * POST introspect (RFC 7662). Only for resource servers, which are configured clients with a secret, so that registered clients
 * cannot test stolen tokens.
 */
export const introspect: Endpoint = async (component, request) => {
  const parameters = await readForm(request)
  const client = await authenticateClient(component, request, parameters)
  if (client.origin !== 'configured' || client.secretHash === undefined) {
    throw new OAuthError(
      'unauthorized_client',
      'Only configured clients with a secret may introspect tokens.',
      {
        status: 403,
      },
    )
  }
  const token = parameters.get('token')
  if (token === undefined) throw new OAuthError('invalid_request', 'The request has no token.')
  return jsonResponse(
    (await describeAccessToken(component, token)) ??
      (await describeRefreshToken(component, token)) ?? { active: false },
  )
}

async function describeAccessToken(component: Component, token: string): Promise<object | undefined> {
  const claims = await findAccessToken(component, token)
  return claims && { active: true, token_type: 'Bearer', ...claims }
}

async function describeRefreshToken(component: Component, token: string): Promise<object | undefined> {
  const { storage, issuer, sealer } = component
  const grantId = token.split('.')[0]!
  const grant = await findGrant(component, grantId)
  const refreshToken = grant && readRefreshToken(sealer, grant.clientId, token)
  const family = await storage.get<RefreshFamilyRecord>('refresh-family', grantId)
  if (!refreshToken || refreshToken.generation !== family?.generation) return undefined
  const { clientId, subject, scope } = grant
  return { active: true, iss: issuer, client_id: clientId, sub: subject, scope: scope.join(' ') }
}
