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

/** Tokens for an authorization code (OAuth 2.1 4.1.3). */
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
  // OAuth 2.1 leaves redirect_uri out of this request; RFC 6749 clients send it, and then it must be the same.
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri !== undefined && redirectUri !== record.redirectUri) throw invalidGrant()
  const verifier = parameters.get('code_verifier')
  if (verifier === undefined) throw new OAuthError('invalid_request', 'The request lacks a code_verifier.')
  if (!matchesChallenge(verifier, record.codeChallenge)) throw invalidGrant()
}

/** Of two requests at once with the same code, one spends it; the other is a reuse. The record of the code expires by itself. */
function spend(component: Component, client: Client, key: string, { grantId }: CodeRecord): Promise<boolean> {
  const mark = { grantId, clientId: client.client_id }
  return component.storage.insert('spent', `code ${key}`, mark, grantExpiry(component))
}

/** A code that comes again was stolen, before or after its owner used it: what it gave is revoked (OAuth 2.1 4.1.3). */
async function refuseReuse(component: Component, client: Client, key: string): Promise<void> {
  const spent = await component.storage.get<{ grantId: string; clientId: string }>('spent', `code ${key}`)
  if (!spent) return
  if (spent.clientId === client.client_id) {
    await revokeGrant(component, spent.grantId)
    component.log({
      type: 'code-reused',
      message: 'A code came again; its tokens are revoked.',
      clientId: spent.clientId,
    })
  }
  throw invalidGrant()
}

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code is not valid, expired, used already, or not for this client.',
  )
}
