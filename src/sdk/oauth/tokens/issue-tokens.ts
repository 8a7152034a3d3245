import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import { describeReason } from '../oauth-event.ts'
import type { GrantRecord, RefreshFamilyRecord } from '../storage/records.ts'
import type { UpstreamAccount } from '../upstream/provider.ts'
import { accessTokenClaims } from './access-token.ts'
import { keepGrant } from './grants.ts'
import { writeRefreshToken } from './refresh-token.ts'
import { leaksUpstreamToken, type TokenResponse } from './token-mapper.ts'

export interface Issue {
  grantId: string
  grant: GrantRecord
  /** Subset of the grant's scope. */
  scope: readonly string[]
  resources: readonly string[]
  /** Generation of the new refresh token. Undefined: no refresh token. */
  nextGeneration: number | undefined
}

/**
 * Response of the token endpoint for a grant. `spend` marks the redeemed code or refresh token, and returns false if it was
 * already spent. The result is then undefined. `spend` runs after the token mapper and the signing, so that their failure does
 * not use up the code or token. It runs in parallel with the other writes, so that the storage can combine them.
 */
export async function issueTokens(
  component: Component,
  issue: Issue,
  spend: () => Promise<boolean>,
): Promise<TokenResponse | undefined> {
  const mapped = await mapTokens(component, issue.grant)
  const accessToken = mapped.access_token ?? (await signAccessToken(component, issue))
  const [isFirst] = await Promise.all([
    spend(),
    keepGrant(component, issue.grantId, issue.grant),
    keepFamily(component, issue),
  ])
  if (!isFirst) return undefined
  return {
    ...mapped,
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: mapped.expires_in ?? component.tokenTTL,
    scope: issue.scope.join(' '),
    ...(issue.nextGeneration !== undefined && {
      refresh_token: writeRefreshToken(component.sealer, issue.grant.clientId, {
        grantId: issue.grantId,
        generation: issue.nextGeneration,
      }),
    }),
  }
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

async function keepFamily(component: Component, { grantId, nextGeneration }: Issue): Promise<void> {
  const { storage, now, refreshTokenTTL } = component
  if (nextGeneration === undefined || refreshTokenTTL === undefined) return
  const record: RefreshFamilyRecord = { generation: nextGeneration }
  await storage.put('refresh-family', grantId, record, now() + refreshTokenTTL)
}

async function mapTokens(component: Component, grant: GrantRecord): Promise<Partial<TokenResponse>> {
  if (!component.tokenMapper) return {}
  const account = component.sealer.unseal<UpstreamAccount>('account', grant.account)
  const provider = component.upstreams.get(grant.providerId)?.provider
  if (!account || !provider)
    throw new OAuthError('invalid_grant', 'The grant is no longer valid. Sign in again.')
  try {
    const mapped = await component.tokenMapper(account.tokens, account.userInfo, provider)
    if (leaksUpstreamToken(mapped, account))
      throw new Error('The token mapper returned a token from the identity provider.')
    return mapped
  } catch (cause) {
    component.log({
      type: 'token-mapper-failed',
      message: 'The token mapper failed.',
      clientId: grant.clientId,
      reason: describeReason(cause),
    })
    throw new OAuthError('server_error', 'The token could not be created.', { cause })
  }
}
