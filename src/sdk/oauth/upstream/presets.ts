import type { ProviderConfig } from './provider.ts'

/** Credentials from the identity provider. All other settings of a preset can be overridden. */
export type Registration = Pick<ProviderConfig, 'clientId' | 'clientSecret'> & Partial<ProviderConfig>

const OPENID_SCOPES = ['openid', 'profile', 'email']

/** Any OAuth 2.0 identity provider. */
export function customProvider(config: ProviderConfig): ProviderConfig {
  return config
}

/** Any OpenID provider. Its endpoints are read from `<issuer>/.well-known/openid-configuration`. */
export function openIdProvider(
  options: Registration & Pick<ProviderConfig, 'id' | 'name'> & { issuer: string },
): ProviderConfig {
  return { scopes: OPENID_SCOPES, ...options }
}

/** https://developers.google.com/identity/openid-connect/openid-connect */
export function google(options: Registration): ProviderConfig {
  return {
    id: 'google',
    name: 'Google',
    issuer: 'https://accounts.google.com',
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    userInfoEndpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    jwksUri: 'https://www.googleapis.com/oauth2/v3/certs',
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/**
 * https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc. `tenant`: id or domain of the tenant. With `common`,
 * `organizations` or `consumers`, users have different issuers, so only the user info identifies them.
 */
export function microsoft({ tenant, ...options }: Registration & { tenant: string }): ProviderConfig {
  const base = `https://login.microsoftonline.com/${encodeURIComponent(tenant)}`
  const isShared = ['common', 'organizations', 'consumers'].includes(tenant)
  return {
    id: 'microsoft',
    name: 'Microsoft',
    ...(!isShared && { issuer: `${base}/v2.0`, jwksUri: `${base}/discovery/v2.0/keys` }),
    authorizationEndpoint: `${base}/oauth2/v2.0/authorize`,
    tokenEndpoint: `${base}/oauth2/v2.0/token`,
    userInfoEndpoint: 'https://graph.microsoft.com/oidc/userinfo',
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps. GitHub issues no ID tokens. */
export function github(options: Registration): ProviderConfig {
  return {
    id: 'github',
    name: 'GitHub',
    authorizationEndpoint: 'https://github.com/login/oauth/authorize',
    tokenEndpoint: 'https://github.com/login/oauth/access_token',
    userInfoEndpoint: 'https://api.github.com/user',
    subjectClaim: 'id',
    scopes: ['read:user', 'user:email'],
    supportsPkce: true,
    tokenEndpointAuthMethod: 'client_secret_post',
    ...options,
  }
}

/** https://docs.gitlab.com/integration/openid_connect_provider. `url`: URL of a self-hosted instance. */
export function gitlab({
  url = 'https://gitlab.com',
  ...options
}: Registration & { url?: string }): ProviderConfig {
  return {
    id: 'gitlab',
    name: 'GitLab',
    issuer: url,
    authorizationEndpoint: `${url}/oauth/authorize`,
    tokenEndpoint: `${url}/oauth/token`,
    userInfoEndpoint: `${url}/oauth/userinfo`,
    jwksUri: `${url}/oauth/discovery/keys`,
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/** https://auth0.com/docs/api/authentication. `domain`: for example `example.eu.auth0.com`. */
export function auth0({ domain, ...options }: Registration & { domain: string }): ProviderConfig {
  return {
    id: 'auth0',
    name: 'Auth0',
    issuer: `https://${domain}/`,
    authorizationEndpoint: `https://${domain}/authorize`,
    tokenEndpoint: `https://${domain}/oauth/token`,
    userInfoEndpoint: `https://${domain}/userinfo`,
    jwksUri: `https://${domain}/.well-known/jwks.json`,
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/** https://developer.okta.com/docs/api/openapi/okta-oauth. `server`: id of a custom authorization server. */
export function okta({
  domain,
  server = 'default',
  ...options
}: Registration & { domain: string; server?: string }): ProviderConfig {
  const issuer = `https://${domain}/oauth2/${encodeURIComponent(server)}`
  return {
    id: 'okta',
    name: 'Okta',
    issuer,
    authorizationEndpoint: `${issuer}/v1/authorize`,
    tokenEndpoint: `${issuer}/v1/token`,
    userInfoEndpoint: `${issuer}/v1/userinfo`,
    jwksUri: `${issuer}/v1/keys`,
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/** https://www.keycloak.org/securing-apps/oidc-layers. `url`: URL of the installation. */
export function keycloak({
  url,
  realm,
  ...options
}: Registration & { url: string; realm: string }): ProviderConfig {
  const issuer = `${url}/realms/${encodeURIComponent(realm)}`
  const base = `${issuer}/protocol/openid-connect`
  return {
    id: 'keycloak',
    name: 'Keycloak',
    issuer,
    authorizationEndpoint: `${base}/auth`,
    tokenEndpoint: `${base}/token`,
    userInfoEndpoint: `${base}/userinfo`,
    jwksUri: `${base}/certs`,
    scopes: OPENID_SCOPES,
    supportsPkce: true,
    ...options,
  }
}

/** https://api.slack.com/authentication/sign-in-with-slack */
export function slack(options: Registration): ProviderConfig {
  return {
    id: 'slack',
    name: 'Slack',
    issuer: 'https://slack.com',
    authorizationEndpoint: 'https://slack.com/openid/connect/authorize',
    tokenEndpoint: 'https://slack.com/api/openid.connect.token',
    userInfoEndpoint: 'https://slack.com/api/openid.connect.userInfo',
    jwksUri: 'https://slack.com/openid/connect/keys',
    scopes: OPENID_SCOPES,
    supportsPkce: false,
    tokenEndpointAuthMethod: 'client_secret_post',
    ...options,
  }
}

/** https://discord.com/developers/docs/topics/oauth2. Discord issues no ID tokens. */
export function discord(options: Registration): ProviderConfig {
  return {
    id: 'discord',
    name: 'Discord',
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userInfoEndpoint: 'https://discord.com/api/users/@me',
    subjectClaim: 'id',
    scopes: ['identify', 'email'],
    supportsPkce: true,
    ...options,
  }
}
