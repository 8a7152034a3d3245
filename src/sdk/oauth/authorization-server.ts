import type { Component } from './component.ts'
import type { Connection } from './connection.ts'
import { createComponent } from './create-component.ts'
import { OAuthError } from './oauth-error.ts'
import { type CommonOptions, endpointSwitches } from './options.ts'
import { createRouter } from './router.ts'
import { type AccessTokenClaims, grantIdOf } from './tokens/access-token.ts'
import { verifyActiveToken } from './tokens/active-token.ts'
import { findGrant } from './tokens/grants.ts'
import type { ProviderConfig, UpstreamAccount } from './upstream/provider.ts'

export interface AuthorizationServerOptions extends CommonOptions {
  /** Public URL of the application that mounts the component, without a trailing slash. */
  issuer: string
  upstreamProvider: ProviderConfig
  /** At least 32 bytes. Signs tokens (HS256) and encrypts stored values and values sent through the browser. */
  signingSecret: string
  /** Allows clients to register themselves (RFC 7591). Default: false. */
  enableDCR?: boolean
  /** Limit per client address. Default: 60, and 600 for loopback and unknown addresses, which many clients may share. */
  registrationsPerHour?: number
}

/** OAuth 2.1 authorization server to mount in an application. */
export interface AuthorizationServer {
  issuer: string
  /** Handles a request. Answers 404 to requests for other paths. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** True for paths of the component. */
  has(pathname: string): boolean
  /**
   * Returns the claims of an access token. Undefined `audience`: any. Throws OAuthError `invalid_token` for a token that is not
   * ours, not for `audience`, expired or revoked.
   */
  verifyAccessToken(token: string, audience: string | undefined): Promise<AccessTokenClaims>
  /** User of an access token, with the tokens of the identity provider. Never send those tokens to a client. */
  upstreamAccount(accessToken: string): Promise<UpstreamAccount>
}

/**
 * Creates an authorization server with these paths: `/.well-known/oauth-authorization-server`, `/oauth/authorize`,
 * `/oauth/consent`, `/oauth/callback`, `/oauth/token`, and, if enabled, `/oauth/register`, `/oauth/revoke`, `/oauth/introspect`,
 * `/oauth/jwks`. Throws TypeError for invalid options.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, upstreamProvider, signingSecret, enableDCR = false } = options
  return serve(
    createComponent({
      ...options,
      secret: signingSecret,
      base: `${issuer}/oauth`,
      switches: { ...endpointSwitches(options), register: enableDCR },
      providers: [upstreamProvider],
    }),
  )
}

/** @internal */
export function serve(component: Component): AuthorizationServer {
  const router = createRouter(component)
  const verify = (token: string, audience: string | undefined) =>
    verifyActiveToken(component, token, audience)
  return {
    issuer: component.issuer,
    fetch: (request, connection = {}) => router.fetch(request, connection),
    has: router.has,
    verifyAccessToken: verify,
    async upstreamAccount(accessToken) {
      const claims = await verify(accessToken, undefined)
      const grant = await findGrant(component, grantIdOf(claims))
      const account = grant && component.sealer.unseal<UpstreamAccount>('account', grant.account)
      if (!account)
        throw new OAuthError('invalid_token', 'The grant behind this token has expired or was revoked.')
      return account
    },
  }
}
