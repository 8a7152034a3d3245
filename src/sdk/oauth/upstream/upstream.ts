import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi'
import type { ProviderConfig } from './provider.ts'

const DEFAULT_SCOPES = ['openid', 'profile', 'email']
const TIMEOUT_MS = 10_000

/** Identity provider with the settings of oauth4webapi. */
export interface Upstream {
  provider: ProviderConfig
  client: Client
  clientAuth: ClientAuth
  /** Endpoints. Discovery runs once, and again after a failure. */
  metadata(): Promise<AuthorizationServer>
}

export function createUpstream(provider: ProviderConfig): Upstream {
  let metadata: Promise<AuthorizationServer> | undefined
  const discover = () => {
    const discovery = findMetadata(provider)
    discovery.catch(() => {
      metadata = undefined
    })
    return discovery
  }
  return {
    provider,
    client: { client_id: provider.clientId },
    clientAuth: (provider.tokenEndpointAuthMethod === 'client_secret_post'
      ? ClientSecretPost
      : ClientSecretBasic)(provider.clientSecret),
    metadata: () => {
      metadata ??= discover()
      return metadata
    },
  }
}

/** Request options: a time limit, and http if the configured URL uses it. */
export function requestOptions(url: string | undefined) {
  return {
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    [allowInsecureRequests]: url?.startsWith('http:') ?? false,
  }
}

export interface SignInStart {
  redirectUri: string
  state: string
  nonce: string
  codeVerifier: string
}

/** URL to which the user's browser is redirected. */
export async function authorizationUrl(upstream: Upstream, start: SignInStart): Promise<string> {
  const { provider } = upstream
  const { authorization_endpoint: endpoint } = await upstream.metadata()
  const url = new URL(endpoint!)
  const scopes = provider.scopes ?? DEFAULT_SCOPES
  const parameters: Record<string, string> = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: start.redirectUri,
    scope: scopes.join(' '),
    state: start.state,
    ...(provider.issuer && { nonce: start.nonce }),
    ...(provider.supportsPkce !== false && {
      code_challenge: await calculatePKCECodeChallenge(start.codeVerifier),
      code_challenge_method: 'S256',
    }),
    ...provider.authorizationParameters,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function findMetadata(provider: ProviderConfig): Promise<AuthorizationServer> {
  const configured = {
    ...(provider.authorizationEndpoint && { authorization_endpoint: provider.authorizationEndpoint }),
    ...(provider.tokenEndpoint && { token_endpoint: provider.tokenEndpoint }),
    ...(provider.userInfoEndpoint && { userinfo_endpoint: provider.userInfoEndpoint }),
    ...(provider.jwksUri && { jwks_uri: provider.jwksUri }),
  }
  if (!provider.issuer) return { issuer: new URL(provider.authorizationEndpoint!).origin, ...configured }
  if (configured.authorization_endpoint && configured.token_endpoint && configured.jwks_uri) {
    return { issuer: provider.issuer, ...configured }
  }
  const issuer = new URL(provider.issuer)
  const response = await discoveryRequest(issuer, requestOptions(provider.issuer))
  return { ...(await processDiscoveryResponse(issuer, response)), ...configured }
}
