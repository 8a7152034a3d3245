/** Supported client metadata of RFC 7591 2. */
export interface ClientMetadata {
  client_id: string
  client_name?: string
  client_uri?: string
  redirect_uris: string[]
  /** Default: `client_secret_basic` for a client with a secret, otherwise `none`. */
  token_endpoint_auth_method?: 'none' | 'client_secret_basic' | 'client_secret_post'
  application_type?: 'native' | 'web'
  grant_types?: string[]
  response_types?: string[]
  scope?: string
}

export interface Client extends ClientMetadata {
  /** SHA-256 of the secret. Absent for public clients. */
  secretHash?: string
  /** `metadata-document`: only the URL of the document identifies the client. */
  origin: 'configured' | 'registered' | 'metadata-document' | 'unregistered'
  /** Time of the registration, in seconds since 1970. Registered clients only. */
  registeredAt?: number
  /** Skips the consent page. Configured clients only. */
  skipConsent?: boolean
  /** Allows redirects to any loopback address. */
  anyLoopback?: boolean
}

/** Validated authorization request. */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  /** Returned to the client unchanged. */
  state?: string
  codeChallenge: string
  scope: string[]
  resources: string[]
  /** Identity provider, if the client chose one. */
  providerId?: string
}

/** Stored from the approval until the user returns from the identity provider. Key: hash of the upstream `state`. */
export interface SignInRecord {
  request: AuthorizationRequest
  providerId: string
  nonce: string
  codeVerifier: string
  redirectUri: string
  /** Hash of a cookie that only the approving browser has. */
  browserHash: string
  /** User whose remembered consent replaced the consent page. */
  expectedSubject?: string
}

/** Access that a user granted to a client. Codes and tokens belong to a grant. Key: id of the grant. */
export interface GrantRecord {
  clientId: string
  subject: string
  providerId: string
  scope: string[]
  resources: string[]
  /** Expiry of the record, in seconds since 1970. */
  keptUntil: number
  /** Sealed `UpstreamAccount`. */
  account: string
  /** Seconds since 1970. */
  signedInAt: number
}

export interface CodeRecord {
  grantId: string
  clientId: string
  redirectUri: string
  codeChallenge: string
}

/** Current refresh token of a grant. Key: id of the grant. */
export interface RefreshFamilyRecord {
  generation: number
}
