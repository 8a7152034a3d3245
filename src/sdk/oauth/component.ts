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

/** Validated options with defaults, as endpoints use them. */
export interface Component {
  issuer: string
  endpoints: Endpoints
  upstreams: ReadonlyMap<string, Upstream>
  /** True when each provider has its own callback URL (RFC 9700 4.4.2.2). */
  distinctCallbacks: boolean
  clients: ClientDirectory
  storage: OAuthStorage
  sealer: Sealer
  signer: TokenSigner
  /** Checks signature and claims, but not revocation. */
  verifyToken: AccessTokenVerifier
  cookies: Cookies
  offeredScopes: readonly string[]
  resourcePolicy: ResourcePolicy
  tokenTTL: number
  /** Undefined: no refresh tokens. */
  refreshTokenTTL: number | undefined
  tokenMapper: TokenMapper | undefined
  /** Undefined: consent is never remembered. */
  rememberConsentSeconds: number | undefined
  registrations: RegistrationLimit
  /** Whole seconds since 1970. */
  now(): number
  log(event: OAuthEvent): void
}

export type Endpoint = (component: Component, request: Request, connection: Connection) => Promise<Response>

/** Clients redeem codes immediately. The maximum is ten minutes (OAuth 2.1 4.1.2). */
export const CODE_TTL_SECONDS = 60
/** Time limit for the consent page, and for the sign-in at the identity provider. */
export const SIGN_IN_TTL_SECONDS = 600
