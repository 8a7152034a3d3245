/** Identity providers: presets, any OpenID provider, any OAuth 2.0 provider, or this daemon (`local`). */
export const AUTH_PROVIDERS = [
  'local',
  'google',
  'microsoft',
  'github',
  'gitlab',
  'auth0',
  'okta',
  'keycloak',
  'slack',
  'discord',
  'openid',
  'custom',
] as const

export type AuthProvider = (typeof AUTH_PROVIDERS)[number]

/** Settings of a provider that may come from an environment variable, `<PROVIDER>_<FIELD>`. */
export type AuthField =
  | 'client_id'
  | 'client_secret'
  | 'domain'
  | 'tenant'
  | 'url'
  | 'realm'
  | 'issuer'
  | 'authorization_endpoint'
  | 'token_endpoint'

const CLIENT = ['client_id', 'client_secret'] as const

/** Required settings. */
export const AUTH_FIELDS: Readonly<Record<AuthProvider, readonly AuthField[]>> = {
  local: [],
  google: CLIENT,
  microsoft: [...CLIENT, 'tenant'],
  github: CLIENT,
  gitlab: CLIENT,
  auth0: [...CLIENT, 'domain'],
  okta: [...CLIENT, 'domain'],
  keycloak: [...CLIENT, 'url', 'realm'],
  slack: CLIENT,
  discord: CLIENT,
  openid: [...CLIENT, 'issuer'],
  custom: [...CLIENT, 'authorization_endpoint', 'token_endpoint'],
}
