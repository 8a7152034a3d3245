import { isLoopbackHost } from '../rules/redirect-uri.ts'

/** Identity provider for sign-ins. */
export interface ProviderConfig {
  /** Lower-case letters, digits, `-`, `_`. Used in URLs and as prefix of the user id in `sub`. */
  id: string
  /** Display name. */
  name: string
  /** Default: discovered from `issuer`, like `tokenEndpoint`. */
  authorizationEndpoint?: string
  tokenEndpoint?: string
  /** Returns claims of the user, including the id if the provider issues no ID tokens. */
  userInfoEndpoint?: string
  clientId: string
  clientSecret: string
  /** Scopes requested from the provider. Default: openid, profile, email. */
  scopes?: string[]
  /** Default: true. Providers without PKCE ignore it (RFC 6749 3.1). */
  supportsPkce?: boolean

  /** Issuer of an OpenID provider. With it, ID tokens are required and verified. */
  issuer?: string
  /** Default: discovered from `issuer`. */
  jwksUri?: string
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Added to each authorization request, for example `{ prompt: 'select_account' }`. */
  authorizationParameters?: Record<string, string>
  /** Claim that contains the user id. Default: `sub`, otherwise `id`. */
  subjectClaim?: string
}

/** Response of the identity provider's token endpoint. */
export interface UpstreamTokens {
  access_token: string
  token_type: string
  expires_in?: number
  refresh_token?: string
  id_token?: string
  scope?: string
  [field: string]: unknown
}

export type UserInfo = Record<string, unknown>

/** Signed-in user with tokens. Stored encrypted. */
export interface UpstreamAccount {
  subject: string
  userInfo: UserInfo
  tokens: UpstreamTokens
}

/** Throws TypeError for invalid settings. */
export function validateProvider(provider: ProviderConfig): void {
  if (!/^[a-z0-9_-]{1,64}$/.test(provider.id)) {
    throw new TypeError(`Provider id "${provider.id}": expected 1 to 64 of a-z, 0-9, "-" and "_".`)
  }
  if (!provider.clientId) throw new TypeError(`Provider "${provider.id}" has no clientId.`)
  if (!provider.issuer && !(provider.authorizationEndpoint && provider.tokenEndpoint)) {
    throw new TypeError(
      `Provider "${provider.id}" needs authorizationEndpoint and tokenEndpoint, or an issuer.`,
    )
  }
  for (const name of [
    'authorizationEndpoint',
    'tokenEndpoint',
    'userInfoEndpoint',
    'issuer',
    'jwksUri',
  ] as const) {
    const url = provider[name]
    if (url !== undefined && !isSecureUrl(url)) {
      throw new TypeError(
        `Provider "${provider.id}": ${name} "${url}" must be an https URL (http on loopback only).`,
      )
    }
  }
}

/** https, or http on a loopback host. */
export function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
