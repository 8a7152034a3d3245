import { type AuthorizationServer, serve } from './authorization-server.ts'
import { createComponent } from './create-component.ts'
import { type CommonOptions, endpointSwitches } from './options.ts'
import type { ProviderConfig } from './upstream/provider.ts'

export interface OAuthProxyOptions extends CommonOptions {
  /** Public URL of the application or, if it has a path, of the routes: `https://app.example.com/auth`. */
  baseUrl: string
  /** Path below `baseUrl`. Default: `/auth`, or none when `baseUrl` has a path. */
  basePath?: string
  /** At least 32 bytes. Signs tokens and encrypts values sent through the browser. */
  sessionSecret: string
  providers: readonly ProviderConfig[]
  /** Enables GET providers, which returns a list of `{id, name}`. Default: true. */
  listProviders?: boolean
  /**
   * Redirect URIs for clients that are not configured and have no metadata document. Default: any loopback URI, which leads to
   * a program on the user's computer. `[]`: rejects such clients.
   */
  redirectUris?: readonly string[]
}

/**
 * Creates an authorization server for one or more identity providers, with GET authorize, GET callback, POST token and GET
 * providers below a base path. Clients need not register. Users see a consent page before they are sent to the identity
 * provider. The issuer is `baseUrl` with the base path.
 * Throws TypeError for invalid options.
 */
export function createOAuthProxy(options: OAuthProxyOptions): AuthorizationServer {
  const {
    baseUrl,
    basePath,
    sessionSecret,
    providers,
    listProviders = true,
    redirectUris,
    ...common
  } = options
  const base = proxyBase(baseUrl, basePath)
  return serve(
    createComponent({
      ...common,
      issuer: base,
      base,
      switches: { ...endpointSwitches(common), providers: listProviders },
      secret: sessionSecret,
      providers,
      openRedirectUris: redirectUris ?? 'loopback',
    }),
  )
}

function proxyBase(baseUrl: string, basePath: string | undefined): string {
  if (!URL.canParse(baseUrl)) throw new TypeError(`The baseUrl "${baseUrl}" is not an absolute URL.`)
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  return `${origin}${own}${basePath ?? (own === '' ? '/auth' : '')}`
}
