import type { ConfiguredClient } from './clients/find-client.ts'
import type { EndpointSwitches } from './endpoints.ts'
import type { OAuthEvent } from './oauth-event.ts'
import type { OAuthStorage } from './storage/storage.ts'
import type { SigningAlgorithm } from './tokens/signing-algorithm.ts'
import type { TokenMapper } from './tokens/token-mapper.ts'

/** Options of the authorization server and the proxy. */
export interface CommonOptions {
  /** Lifetime of access tokens in seconds. Default: 3600. */
  tokenTTL?: number
  tokenMapper?: TokenMapper
  /** Default: memory, which is lost with the process. */
  storage?: OAuthStorage
  /** Clients that the operator configured. They need not register. */
  clients?: readonly ConfiguredClient[]
  /** Scopes that clients may request. Default: openid, profile, email. */
  scopes?: readonly string[]
  /**
   * URLs of the MCP servers that tokens are issued for (RFC 8707). The first is used when a client requests none. Default: any
   * URL on the issuer's origin.
   */
  resources?: readonly string[]
  /** Lifetime of unused refresh tokens in seconds. Default: no refresh tokens. */
  refreshTokenTTL?: number
  /** Seconds for which a browser remembers the consent for a client. Default: consent is not remembered. */
  rememberConsentSeconds?: number
  /** Accepts the URL of a metadata document as client id. Default: true. */
  clientMetadataDocuments?: boolean | MetadataDocumentOptions
  /** Default: HS256 with the secret. The other algorithms use generated keys, which are rotated and published as a JWKS. */
  signing?: { algorithm: SigningAlgorithm /** Default: 30 days. */; rotationSeconds?: number }
  /** Enables POST revoke (RFC 7009). Default: false. */
  revocation?: boolean
  /** Enables POST introspect (RFC 7662) for configured clients with a secret. Default: false. */
  introspection?: boolean
  /** Uses the callback URL `<callback>/<id>` for each provider. Default: false. */
  distinctCallbacks?: boolean
  log?: (event: OAuthEvent) => void
  /** Seconds since 1970. Default: the system clock. */
  now?: () => number
}

/** Enabled optional endpoints. */
export function endpointSwitches({ revocation, introspection, signing }: CommonOptions): EndpointSwitches {
  return {
    register: false,
    revoke: revocation ?? false,
    introspect: introspection ?? false,
    jwks: (signing?.algorithm ?? 'HS256') !== 'HS256',
    providers: false,
  }
}

export interface MetadataDocumentOptions {
  /** Replaces the built-in request, which rejects private addresses. Needed for a proxy with its own rules. */
  fetch?: (url: string) => Promise<Response>
}
