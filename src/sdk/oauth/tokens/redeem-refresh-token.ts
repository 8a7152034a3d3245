import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../rules/parameters.ts'
import { narrowResources } from '../rules/resource.ts'
import { narrowScope, parseScope } from '../rules/scope.ts'
import { hashToken } from '../secrets.ts'
import type { Client, RefreshTokenRecord } from '../storage/records.ts'
import { findGrant, grantExpiry, revokeGrant } from './grants.ts'
import { issueTokens } from './issue-tokens.ts'
import type { TokenResponse } from './token-mapper.ts'

/**
 * Tokens for a refresh token (RFC 6749 6), which is replaced by a new one. One that was replaced already comes from a thief or
 * from the owner after a thief: nobody can tell, so the whole family ends (RFC 9700 4.14.2).
 */
export async function redeemRefreshToken(
  component: Component,
  client: Client,
  parameters: Parameters,
): Promise<TokenResponse> {
  const { storage } = component
  const key = hashToken(parameters.get('refresh_token') ?? '')
  const record = await storage.get<RefreshTokenRecord>('refresh-token', key)
  if (!record || record.clientId !== client.client_id) throw invalidGrant()
  const grant = await findGrant(component, record.grantId)
  if (!grant) throw invalidGrant()
  const scope = narrowScope(parseScope(parameters.get('scope')), grant.scope)
  const resources = narrowResources(parameters.all('resource'), grant.resources)
  const issue = { grantId: record.grantId, grant, scope, resources }
  // The record stays beside the mark, so that a reuse leads to its family.
  const spend = () => storage.insert('spent', `refresh-token ${key}`, {}, grantExpiry(component))
  return (await issueTokens(component, issue, spend)) ?? refuseReuse(component, record)
}

async function refuseReuse(component: Component, { grantId, clientId }: RefreshTokenRecord): Promise<never> {
  await revokeGrant(component, grantId)
  component.log({
    type: 'refresh-token-reused',
    message: 'A refresh token came again; its family is revoked.',
    clientId,
  })
  throw invalidGrant()
}

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is not valid, expired, used already, or not for this client.',
  )
}
