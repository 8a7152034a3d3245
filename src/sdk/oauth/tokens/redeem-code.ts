import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import { mayRefresh } from '../rules/grant-types.ts'
import type { Parameters } from '../rules/parameters.ts'
import { matchesChallenge } from '../rules/pkce.ts'
import { narrowResources } from '../rules/resource.ts'
import { hashToken } from '../secrets.ts'
import type { Client, CodeRecord } from '../storage/records.ts'
import { findGrant, grantExpiry, revokeGrant } from './grants.ts'
import { issueTokens } from './issue-tokens.ts'
import type { TokenResponse } from './token-mapper.ts'

/** Exchanges an authorization code for tokens (OAuth 2.1 4.1.3). */
export async function redeemCode(
  component: Component,
  client: Client,
  parameters: Parameters,
): Promise<TokenResponse> {
  const key = hashToken(parameters.get('code') ?? '')
  await refuseReuse(component, client, key)
  const record = await component.storage.get<CodeRecord>('code', key)
  if (!record || record.clientId !== client.client_id) throw invalidGrant()
  requireProof(record, parameters)
  const grant = await findGrant(component, record.grantId)
  if (!grant) throw invalidGrant()
  const resources = narrowResources(parameters.all('resource'), grant.resources)
  const nextGeneration = mayRefresh(component, client) ? 0 : undefined
  const issue = { grantId: record.grantId, grant, scope: grant.scope, resources, nextGeneration }
  const tokens = await issueTokens(component, issue, () => spend(component, client, key, record))
  if (tokens) return tokens
  await refuseReuse(component, client, key)
  throw invalidGrant()
}

function requireProof(record: CodeRecord, parameters: Parameters): void {
  // OAuth 2.1 omits redirect_uri from the token request. Clients of RFC 6749 still send it. It must then match the authorization
  // request.
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri !== undefined && redirectUri !== record.redirectUri) throw invalidGrant()
  const verifier = parameters.get('code_verifier')
  if (verifier === undefined) throw new OAuthError('invalid_request', 'The request has no code_verifier.')
  if (!matchesChallenge(verifier, record.codeChallenge)) throw invalidGrant()
}

/** Marks the code as spent. Of two concurrent requests, one succeeds and the other counts as reuse. */
function spend(component: Component, client: Client, key: string, { grantId }: CodeRecord): Promise<boolean> {
  const mark = { grantId, clientId: client.client_id }
  return component.storage.insert('spent', `code ${key}`, mark, grantExpiry(component))
}

/** Revokes the tokens of a reused code, because reuse means that the code was stolen (OAuth 2.1 4.1.3). */
async function refuseReuse(component: Component, client: Client, key: string): Promise<void> {
  const spent = await component.storage.get<{ grantId: string; clientId: string }>('spent', `code ${key}`)
  if (!spent) return
  if (spent.clientId === client.client_id) {
    await revokeGrant(component, spent.grantId)
    component.log({
      type: 'code-reused',
      message: 'A code was used twice. Its tokens are revoked.',
      clientId: spent.clientId,
    })
  }
  throw invalidGrant()
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is invalid, expired, already used, or for another client.')
}
