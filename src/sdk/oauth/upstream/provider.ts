import { isLoopbackHost } from '../rules/redirect-uri.ts'

/** An identity provider that users sign in with. */
export interface ProviderConfig {
  /** Lower-case letters, digits, `-`, `_`: stands in addresses and before the user's id in `sub`. */
  id: string
  /** Shown to users. */
  name: string
  /** May be left out when `issuer` is given: then it is discovered. */
  authorizationEndpoint?: string
  tokenEndpoint?: string
  /** Where the user's id comes from when the provider has no ID tokens. */
  userInfoEndpoint?: string
  clientId: string
  clientSecret: string
  /** Asked for at the provider. Default: openid, profile, email. */
  scopes?: string[]
  /** Default true: a provider that does not know PKCE ignores it (RFC 6749 3.1). */
  supportsPkce?: boolean

  /** Issuer of an OpenID provider: its ID tokens are then required and checked. */
  issuer?: string
  /** Default: discovered. */
  jwksUri?: string
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Sent with each authorization request, such as `{ prompt: 'select_account' }`. */
  authorizationParameters?: Record<string, string>
  /** The claim of the user info that names the user. Default `sub`, else `id`. */
  subjectClaim?: string
}

/** Tokens of the identity provider, as its token endpoint gave them. */
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

/** Who signed in, and with what tokens. Kept sealed. */
export interface UpstreamAccount {
  subject: string
  userInfo: UserInfo
  tokens: UpstreamTokens
}

/** Throws for what cannot work, when the component is made and not when the first user comes. */
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

/** https, or http on a loopback host, as in development. */
export function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
