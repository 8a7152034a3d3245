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
  /** Of this access token: all of the grant, or less. */
  scope: readonly string[]
  resources: readonly string[]
  /** Of the refresh token that goes along; undefined: none does. */
  nextGeneration: number | undefined
}

/**
 * The answer of the token endpoint for a grant. `spend` marks what is redeemed for it and says whether this was the first time;
 * if not, nothing is issued: undefined. It runs when everything is at hand, so that a failure before costs nobody their code
 * or refresh token, and together with what is written, so that a storage can put it all on the disk at once.
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
