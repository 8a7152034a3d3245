import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import { describeReason } from '../oauth-event.ts'
import { hashToken, randomToken } from '../secrets.ts'
import type { GrantRecord, RefreshTokenRecord } from '../storage/records.ts'
import type { UpstreamAccount } from '../upstream/provider.ts'
import { accessTokenClaims } from './access-token.ts'
import { leaksUpstreamToken, type TokenResponse } from './token-mapper.ts'

export interface Issue {
  grantId: string
  grant: GrantRecord
  /** Of this access token: all of the grant, or less. */
  scope: readonly string[]
  resources: readonly string[]
}

/** The answer of the token endpoint for a grant. */
export async function issueTokens(component: Component, issue: Issue): Promise<TokenResponse> {
  const mapped = await mapTokens(component, issue.grant)
  return {
    ...mapped,
    access_token: mapped.access_token ?? (await signAccessToken(component, issue)),
    token_type: 'Bearer',
    expires_in: mapped.expires_in ?? component.tokenTTL,
    scope: issue.scope.join(' '),
    ...(component.refreshTokenTTL !== undefined && {
      refresh_token: await createRefreshToken(component, issue),
    }),
  }
}

/** How long a grant is kept after a token was issued from it: as long as that can be used. */
export function grantExpiry(component: Component): number {
  return component.now() + Math.max(component.tokenTTL, component.refreshTokenTTL ?? 0)
}

function signAccessToken(component: Component, { grantId, grant, scope, resources }: Issue): Promise<string> {
  return component.signer.sign(
    accessTokenClaims({
      issuer: component.issuer,
      subject: grant.subject,
      clientId: grant.clientId,
      scope,
      resources,
      grantId,
      issuedAt: component.now(),
      ttlSeconds: component.tokenTTL,
      signedInAt: grant.signedInAt,
    }),
  )
}

async function createRefreshToken(component: Component, { grantId, grant }: Issue): Promise<string> {
  const token = randomToken()
  const record: RefreshTokenRecord = { grantId, clientId: grant.clientId }
  await component.storage.put('refresh-token', hashToken(token), record, grantExpiry(component))
  return token
}

async function mapTokens(component: Component, grant: GrantRecord): Promise<Partial<TokenResponse>> {
  if (!component.tokenMapper) return {}
  const account = component.sealer.unseal<UpstreamAccount>('account', grant.account)
  const provider = component.upstreams.get(grant.providerId)?.provider
  if (!account || !provider)
    throw new OAuthError('invalid_grant', 'The grant is not valid any more; sign in again.')
  try {
    const mapped = await component.tokenMapper(account.tokens, account.userInfo, provider)
    if (leaksUpstreamToken(mapped, account))
      throw new Error('The token mapper gave a token of the identity provider.')
    return mapped
  } catch (cause) {
    component.log({
      type: 'token-mapper-failed',
      message: 'No token could be made for a user.',
      clientId: grant.clientId,
      reason: describeReason(cause),
    })
    throw new OAuthError('server_error', 'No token could be made for this user.', { cause })
  }
}
