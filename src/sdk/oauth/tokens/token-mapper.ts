import type { ProviderConfig, UpstreamAccount, UpstreamTokens, UserInfo } from '../upstream/provider.ts'

/** Response of the token endpoint (RFC 6749 5.1), optionally with custom fields such as `user_id`. */
export interface TokenResponse {
  access_token: string
  token_type: string
  /** Seconds. */
  expires_in: number
  refresh_token?: string
  scope?: string
  [field: string]: unknown
}

/**
 * Creates the response of the token endpoint from the identity provider's data. Without an `access_token`, the component issues
 * one. Tokens from the identity provider are rejected, because they were not issued for this resource.
 */
export type TokenMapper = (
  tokens: UpstreamTokens,
  userInfo: UserInfo,
  provider: ProviderConfig,
) => Partial<TokenResponse> | Promise<Partial<TokenResponse>>

const UPSTREAM_SECRETS = ['access_token', 'refresh_token', 'id_token'] as const

/** True if a mapped response contains a token of the identity provider, which MCP forbids ("token passthrough"). */
export function leaksUpstreamToken(mapped: Partial<TokenResponse>, { tokens }: UpstreamAccount): boolean {
  const text = JSON.stringify(mapped)
  return UPSTREAM_SECRETS.some(name => {
    const token = tokens[name]
    return typeof token === 'string' && token !== '' && text.includes(JSON.stringify(token).slice(1, -1))
  })
}
