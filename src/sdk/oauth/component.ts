import type { ClientDirectory } from './clients/client-directory.ts'
import type { RegistrationLimit } from './clients/registration-limit.ts'
import type { Connection } from './connection.ts'
import type { Endpoints } from './endpoints.ts'
import type { Cookies } from './http/cookies.ts'
import type { OAuthEvent } from './oauth-event.ts'
import type { ResourcePolicy } from './rules/resource.ts'
import type { Sealer } from './secrets.ts'
import type { OAuthStorage } from './storage/storage.ts'
import type { TokenSigner } from './tokens/signing.ts'
import type { TokenMapper } from './tokens/token-mapper.ts'
import type { AccessTokenVerifier } from './tokens/verify-access-token.ts'
import type { Upstream } from './upstream/upstream.ts'

/** Everything an endpoint needs, checked and with its defaults. */
export interface Component {
  issuer: string
  endpoints: Endpoints
  upstreams: ReadonlyMap<string, Upstream>
  /** With several providers: each has a callback address of its own (RFC 9700 4.4.2.2). */
  distinctCallbacks: boolean
  clients: ClientDirectory
  storage: OAuthStorage
  sealer: Sealer
  signer: TokenSigner
  /** By signature and claims alone, not knowing what was revoked. */
  verifyToken: AccessTokenVerifier
  cookies: Cookies
  offeredScopes: readonly string[]
  resourcePolicy: ResourcePolicy
  tokenTTL: number
  /** Undefined: no refresh tokens. */
  refreshTokenTTL: number | undefined
  tokenMapper: TokenMapper | undefined
  /** Undefined: each sign-in asks for consent. */
  rememberConsentSeconds: number | undefined
  registrations: RegistrationLimit
  /** Whole seconds since 1970. */
  now(): number
  log(event: OAuthEvent): void
}

export type Endpoint = (component: Component, request: Request, connection: Connection) => Promise<Response>

/** OAuth 2.1 4.1.2: at most ten minutes; a client redeems its code at once. */
export const CODE_TTL_SECONDS = 60
/** How long a user may take over the consent page, and then at the identity provider. */
export const SIGN_IN_TTL_SECONDS = 600
