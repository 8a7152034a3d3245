import { type Browser, createBrowser } from './browser.ts'

interface ClientMetadata {
  redirect_uris: string[]
  client_name: string
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: string
}

/**
 * Provider for the OAuth code of the MCP SDKs: storage in memory, and access to the user's browser. The same for both
 * SDKs.
 */
export function createClientMemory(clientMetadataUrl?: string) {
  const redirectUrl = 'http://127.0.0.1:1/callback'
  const kept: Record<string, unknown> = {}
  let authorizationUrl: URL | undefined
  const clientMetadata: ClientMetadata = {
    redirect_uris: [redirectUrl],
    client_name: 'An MCP client',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  return {
    kept,
    redirectUrl,
    clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    state: () => 'a state of the client',
    // biome-ignore lint/suspicious/noExplicitAny: the SDKs have different types for stored values.
    clientInformation: (): any => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    tokens: (): any => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      authorizationUrl = url
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => String(kept.verifier),
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    discoveryState: (): any => kept.discovery,
    saveDiscoveryState: (state: unknown) => {
      kept.discovery = state
    },
    /** Signs the user in and returns the parameters of the redirect. */
    async approveInBrowser(browser: Browser = createBrowser(), provider = 'idp'): Promise<URLSearchParams> {
      const isBack = (url: string) => url.startsWith(redirectUrl)
      const page = await browser.open(authorizationUrl!.href, isBack)
      const back = await browser.submit(page, { provider }, isBack)
      return new URL(back.url).searchParams
    },
  }
}
