import type { ProviderConfig, UpstreamAccount, UpstreamTokens, UserInfo } from '../upstream/provider.ts'

/** What the token endpoint answers (RFC 6749 5.1), perhaps with fields of the application's own, such as `user_id`. */
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
 * Makes the answer of the token endpoint from what the identity provider said. Without an `access_token` in it, the component
 * issues its own. A token of the identity provider is refused: it was not issued for this resource.
 */
export type TokenMapper = (
  tokens: UpstreamTokens,
  userInfo: UserInfo,
  provider: ProviderConfig,
) => Partial<TokenResponse> | Promise<Partial<TokenResponse>>

const UPSTREAM_SECRETS = ['access_token', 'refresh_token', 'id_token'] as const

/** Whether a mapped answer holds a token of the identity provider, which MCP forbids ("token passthrough"). */
export function leaksUpstreamToken(mapped: Partial<TokenResponse>, { tokens }: UpstreamAccount): boolean {
  const text = JSON.stringify(mapped)
  return UPSTREAM_SECRETS.some(name => {
    const token = tokens[name]
    return typeof token === 'string' && token !== '' && text.includes(JSON.stringify(token).slice(1, -1))
  })
}
