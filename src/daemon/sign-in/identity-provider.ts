import {
  auth0,
  customProvider,
  discord,
  github,
  gitlab,
  google,
  keycloak,
  microsoft,
  okta,
  openIdProvider,
  slack,
} from '../../sdk/oauth/upstream/presets.ts'
import { type ProviderConfig, validateProvider } from '../../sdk/oauth/upstream/provider.ts'
import type { DeploymentAuth } from '../../shared/contract/deployments/deployment-auth.ts'

/**
 * The identity provider of a deployment's users. `local` is the daemon's own provider. Throws a TypeError for invalid settings,
 * such as a non-https URL.
 */
export function identityProvider(auth: DeploymentAuth, local: ProviderConfig): ProviderConfig {
  const provider = preset(auth, local)
  const chosen = auth.provider_scopes ? { ...provider, scopes: auth.provider_scopes } : provider
  validateProvider(chosen)
  return chosen
}

function preset(auth: DeploymentAuth, local: ProviderConfig): ProviderConfig {
  const client = { clientId: auth.client_id ?? '', clientSecret: auth.client_secret ?? '' }
  switch (auth.provider) {
    case 'local':
      return local
    case 'google':
      return google(client)
    case 'microsoft':
      return microsoft({ ...client, tenant: auth.tenant! })
    case 'github':
      return github(client)
    case 'gitlab':
      return gitlab({ ...client, ...(auth.url !== undefined && { url: withoutSlash(auth.url) }) })
    case 'auth0':
      return auth0({ ...client, domain: auth.domain! })
    case 'okta':
      return okta({ ...client, domain: auth.domain! })
    case 'keycloak':
      return keycloak({ ...client, url: withoutSlash(auth.url!), realm: auth.realm! })
    case 'slack':
      return slack(client)
    case 'discord':
      return discord(client)
    case 'openid':
      return openIdProvider({ ...client, ...nameByHost(auth.issuer!), issuer: auth.issuer! })
    case 'custom':
      return customProvider({
        ...client,
        ...nameByHost(auth.authorization_endpoint!),
        authorizationEndpoint: auth.authorization_endpoint!,
        tokenEndpoint: auth.token_endpoint!,
        ...(auth.user_info_endpoint !== undefined && { userInfoEndpoint: auth.user_info_endpoint }),
        ...(auth.issuer !== undefined && { issuer: auth.issuer }),
      })
  }
}

/** The sign-in page names the provider by its host. */
function nameByHost(url: string): Pick<ProviderConfig, 'id' | 'name'> {
  return { id: 'idp', name: new URL(url).host }
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}
