import { type AuthorizationServer, serve } from './authorization-server.ts'
import { createComponent } from './create-component.ts'
import { type CommonOptions, endpointSwitches } from './options.ts'
import type { ProviderConfig } from './upstream/provider.ts'

export interface OAuthProxyOptions extends CommonOptions {
  /** Public address of the application, or of the routes themselves when it has a path: `https://app.example.com/auth`. */
  baseUrl: string
  /** Below `baseUrl`. Default `/auth`, and none when `baseUrl` has a path. */
  basePath?: string
  /** At least 32 bytes. Signs tokens and seals what travels through the browser. */
  sessionSecret: string
  providers: readonly ProviderConfig[]
  /** GET providers answers a list of `{id, name}`. Default true. */
  listProviders?: boolean
  /**
   * Where clients may be sent that are neither configured nor have a metadata document. Default: a program on the user's own
   * computer. `[]`: there are no such clients.
   */
  redirectUris?: readonly string[]
}

/**
 * The simpler form: GET authorize, GET callback, POST token and GET providers under a base path. No client registers; the user
 * is asked before the identity provider is. Its issuer is `baseUrl` with the base path.
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
  if (!URL.canParse(baseUrl)) throw new TypeError(`The baseUrl "${baseUrl}" is no absolute URL.`)
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  return `${origin}${own}${basePath ?? (own === '' ? '/auth' : '')}`
}
