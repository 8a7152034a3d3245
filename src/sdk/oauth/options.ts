import type { ConfiguredClient } from './clients/find-client.ts'
import type { EndpointSwitches } from './endpoints.ts'
import type { OAuthEvent } from './oauth-event.ts'
import type { OAuthStorage } from './storage/storage.ts'
import type { SigningAlgorithm } from './tokens/signing-algorithm.ts'
import type { TokenMapper } from './tokens/token-mapper.ts'

/** Options that both forms of the component share. */
export interface CommonOptions {
  /** Seconds that an access token lives. Default 3600. */
  tokenTTL?: number
  tokenMapper?: TokenMapper
  /** Default: memory, gone with the process. */
  storage?: OAuthStorage
  /** Clients that need not register. */
  clients?: readonly ConfiguredClient[]
  /** What tokens can be asked for. Default: openid, profile, email. */
  scopes?: readonly string[]
  /**
   * URLs of the MCP servers that tokens are issued for (RFC 8707), the first being the default. Default: any address on the
   * issuer's own origin.
   */
  resources?: readonly string[]
  /** Seconds that a refresh token lives unused. Refresh tokens are given when it is set. */
  refreshTokenTTL?: number
  /** Seconds that a browser need not ask its user again for the same client. Default: it always asks. */
  rememberConsentSeconds?: number
  /** Takes the address of a metadata document for a client id. Default true. */
  clientMetadataDocuments?: boolean | MetadataDocumentOptions
  /** Default HS256 with the secret. The others make keys of their own, rotate them and publish them as a JWKS. */
  signing?: { algorithm: SigningAlgorithm /** Default 30 days. */; rotationSeconds?: number }
  /** POST revoke (RFC 7009). Default false. */
  revocation?: boolean
  /** POST introspect (RFC 7662), for clients with a secret. Default false. */
  introspection?: boolean
  /** Gives each provider a callback address of its own, `<callback>/<id>`. Default false. */
  distinctCallbacks?: boolean
  log?: (event: OAuthEvent) => void
  /** Seconds since 1970. Default: the machine's clock. */
  now?: () => number
}

/** Which of the optional endpoints there are. */
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
  /** Instead of the request that refuses private addresses: for a proxy with rules of its own. */
  fetch?: (url: string) => Promise<Response>
}
