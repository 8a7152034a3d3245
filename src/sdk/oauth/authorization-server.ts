import type { Component } from './component.ts'
import type { Connection } from './connection.ts'
import { createComponent } from './create-component.ts'
import { OAuthError } from './oauth-error.ts'
import { type CommonOptions, endpointSwitches } from './options.ts'
import { createRouter } from './router.ts'
import { type AccessTokenClaims, grantIdOf } from './tokens/access-token.ts'
import { findGrant } from './tokens/grants.ts'
import { verifyStandingToken } from './tokens/standing-token.ts'
import type { ProviderConfig, UpstreamAccount } from './upstream/provider.ts'

export interface AuthorizationServerOptions extends CommonOptions {
  /** Public address of the application that mounts the component, without a slash at its end. */
  issuer: string
  upstreamProvider: ProviderConfig
  /** At least 32 bytes. Signs tokens (HS256) and seals what is kept or travels through the browser. */
  signingSecret: string
  /** Lets clients register themselves (RFC 7591). Default false. */
  enableDCR?: boolean
  /** From one address. Default 60; where no address is known, of all together. */
  registrationsPerHour?: number
}

/** An OAuth 2.1 authorization server to mount in an application. */
export interface AuthorizationServer {
  issuer: string
  /** Answers a request to one of its addresses; 404 for every other one. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** Whether a path is one of its own. */
  has(pathname: string): boolean
  /**
   * Claims of a token that it issued, that is for `audience`, and whose grant still stands. Errors: OAuthError `invalid_token`.
   */
  verifyAccessToken(token: string, audience: string | undefined): Promise<AccessTokenClaims>
  /** Who signed in to get an access token, with the identity provider's tokens. Never send these to a client. */
  upstreamAccount(accessToken: string): Promise<UpstreamAccount>
}

/**
 * Routes under `issuer`: `/.well-known/oauth-authorization-server`, `/oauth/authorize`, `/oauth/consent`, `/oauth/callback`,
 * `/oauth/token`, and as switched on `/oauth/register`, `/oauth/revoke`, `/oauth/introspect`, `/oauth/jwks`.
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
    verifyStandingToken(component, token, audience)
  return {
    issuer: component.issuer,
    fetch: (request, connection = {}) => router.fetch(request, connection),
    has: router.has,
    verifyAccessToken: verify,
    async upstreamAccount(accessToken) {
      const claims = await verify(accessToken, undefined)
      const grant = await findGrant(component, grantIdOf(claims))
      const account = grant && component.sealer.unseal<UpstreamAccount>('account', grant.account)
      if (!account) throw new OAuthError('invalid_token', 'The grant of this token is over.')
      return account
    },
  }
}
