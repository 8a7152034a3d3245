/** A client as RFC 7591 2 describes it, with the fields that are honoured here. */
export interface ClientMetadata {
  client_id: string
  client_name?: string
  client_uri?: string
  redirect_uris: string[]
  /** Default `client_secret_basic` for a client with a secret, else `none`. */
  token_endpoint_auth_method?: 'none' | 'client_secret_basic' | 'client_secret_post'
  application_type?: 'native' | 'web'
  grant_types?: string[]
  response_types?: string[]
  scope?: string
}

export interface Client extends ClientMetadata {
  /** SHA-256 of the secret; absent for a public client. */
  secretHash?: string
  /** `metadata-document`: its name is not proven by anything but the address of the document. */
  origin: 'configured' | 'registered' | 'metadata-document' | 'unregistered'
  /** Configured clients of the operator's own, whose users need not be asked. */
  skipConsent?: boolean
  /** May be sent to any loopback address. */
  anyLoopback?: boolean
}

/** What a client asks for, after all checks. */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  /** As the client sent it, given back untouched. */
  state?: string
  codeChallenge: string
  scope: string[]
  resources: string[]
  /** The identity provider, when the client chose it. */
  providerId?: string
}

/** Kept from the approval until the user is back from the identity provider; key: hash of the upstream `state`. */
export interface SignInRecord {
  request: AuthorizationRequest
  providerId: string
  nonce: string
  codeVerifier: string
  redirectUri: string
  /** Hash of the cookie that only the browser which approved has. */
  browserHash: string
  /** The user whose remembered consent stood for the page. */
  expectedSubject?: string
}

/** What a user granted to a client; the family that codes and tokens belong to. Key: its id. */
export interface GrantRecord {
  clientId: string
  subject: string
  providerId: string
  scope: string[]
  resources: string[]
  /** Seconds since 1970 until which the record itself is kept. */
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

/** Of the refresh tokens of a grant the current one; key: id of the grant. */
export interface RefreshFamilyRecord {
  generation: number
}
