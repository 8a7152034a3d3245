import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../rules/parameters.ts'
import { narrowResources } from '../rules/resource.ts'
import { narrowScope, parseScope } from '../rules/scope.ts'
import type { Client, RefreshFamilyRecord } from '../storage/records.ts'
import { findGrant, revokeGrant } from './grants.ts'
import { issueTokens } from './issue-tokens.ts'
import { type RefreshToken, readRefreshToken } from './refresh-token.ts'
import type { TokenResponse } from './token-mapper.ts'

/** Lifetime of the marker for a spent token. Two requests with the same token cannot overlap for this long. */
const RACE_SECONDS = 600

/**
 * Exchanges a refresh token for new tokens (RFC 6749 6). Reuse of a replaced token means that the token was stolen, so the whole
 * grant is revoked (RFC 9700 4.14.2).
 */
export async function redeemRefreshToken(
  component: Component,
  client: Client,
  parameters: Parameters,
): Promise<TokenResponse> {
  const { storage, sealer, now } = component
  const token = readRefreshToken(sealer, client.client_id, parameters.get('refresh_token') ?? '')
  const family = token && (await storage.get<RefreshFamilyRecord>('refresh-family', token.grantId))
  const grant = family && (await findGrant(component, token.grantId))
  if (!grant) throw invalidGrant()
  const { grantId, generation } = token
  if (generation !== family.generation) return refuseReuse(component, client, token)
  const scope = narrowScope(parseScope(parameters.get('scope')), grant.scope)
  const resources = narrowResources(parameters.all('resource'), grant.resources)
  const issue = { grantId, grant, scope, resources, nextGeneration: generation + 1 }
  const spend = () =>
    storage.insert('spent', `refresh-token ${grantId} ${generation}`, {}, now() + RACE_SECONDS)
  return (await issueTokens(component, issue, spend)) ?? refuseReuse(component, client, token)
}

async function refuseReuse(component: Component, client: Client, { grantId }: RefreshToken): Promise<never> {
  await revokeGrant(component, grantId)
  component.log({
    type: 'refresh-token-reused',
    message: 'A refresh token was used twice. Its grant is revoked.',
    clientId: client.client_id,
  })
  throw invalidGrant()
}

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is invalid, expired, already used, or for another client.',
  )
}
