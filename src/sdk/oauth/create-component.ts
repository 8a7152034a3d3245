import { createDocumentReader } from './clients/document-reader.ts'
import { createClientDirectory } from './clients/find-client.ts'
import { createRegistrationLimit } from './clients/registration-limit.ts'
import type { Component } from './component.ts'
import { createEndpoints, type EndpointSwitches } from './endpoints.ts'
import { createCookies } from './http/cookies.ts'
import type { CommonOptions } from './options.ts'
import { canonicalResource } from './rules/resource.ts'
import { createSealer } from './secrets.ts'
import { memoryStorage } from './storage/memory.ts'
import { createRotatingSigner, type RotatingSignerParts } from './tokens/rotating-signer.ts'
import { createSecretSigner, type TokenSigner } from './tokens/signing.ts'
import { createAccessTokenVerifier } from './tokens/verify-access-token.ts'
import { isSecureUrl, type ProviderConfig, validateProvider } from './upstream/provider.ts'
import { createUpstream } from './upstream/upstream.ts'

const DEFAULT_TOKEN_TTL_SECONDS = 3600
const DEFAULT_ROTATION_SECONDS = 30 * 24 * 3600
const DEFAULT_SCOPES = ['openid', 'profile', 'email']
/** RFC 7518 3.2: an HS256 key must have at least as many bits as the hash. */
const MIN_SECRET_BYTES = 32

export interface ComponentParts extends CommonOptions {
  issuer: string
  secret: string
  /** URL without `/authorize`. */
  base: string
  switches: EndpointSwitches
  providers: readonly ProviderConfig[]
  openRedirectUris?: readonly string[] | 'loopback'
  registrationsPerHour?: number
}

/** Validates the options and adds defaults. Throws TypeError for invalid options. */
export function createComponent(parts: ComponentParts): Component {
  validateParts(parts)
  const { issuer, secret, tokenTTL = DEFAULT_TOKEN_TTL_SECONDS, now = () => Date.now() / 1000 } = parts
  const storage = parts.storage ?? memoryStorage({ now })
  const sealer = createSealer(secret)
  const signer = createSigner(parts, { storage, sealer, tokenTTL, now })
  return {
    issuer,
    endpoints: createEndpoints(issuer, parts.base, parts.switches),
    upstreams: new Map(parts.providers.map(provider => [provider.id, createUpstream(provider)])),
    distinctCallbacks: parts.distinctCallbacks ?? false,
    clients: createClientDirectory({
      configured: parts.clients ?? [],
      storage,
      readDocument: documentReader(parts, now),
      openRedirectUris: parts.openRedirectUris,
    }),
    storage,
    sealer,
    signer,
    verifyToken: createAccessTokenVerifier({
      issuer,
      algorithm: signer.algorithm,
      key: signer.verificationKey,
      now,
    }),
    cookies: createCookies(issuer.startsWith('https:')),
    offeredScopes: parts.scopes ?? DEFAULT_SCOPES,
    resourcePolicy: { issuer, allowed: (parts.resources ?? []).map(requiredResource) },
    tokenTTL,
    refreshTokenTTL: parts.refreshTokenTTL,
    tokenMapper: parts.tokenMapper,
    rememberConsentSeconds: parts.rememberConsentSeconds,
    registrations: createRegistrationLimit(parts.registrationsPerHour),
    now: () => Math.floor(now()),
    log: parts.log ?? (() => {}),
  }
}

function documentReader(
  { clientMetadataDocuments = true, refreshTokenTTL }: ComponentParts,
  now: () => number,
) {
  if (clientMetadataDocuments === false) return undefined
  const fetch = clientMetadataDocuments === true ? undefined : clientMetadataDocuments.fetch
  return createDocumentReader({ fetch, refreshTokens: refreshTokenTTL !== undefined, now })
}

function createSigner(
  { secret, signing }: ComponentParts,
  rest: Pick<RotatingSignerParts, 'storage' | 'sealer' | 'tokenTTL' | 'now'>,
): TokenSigner {
  const { algorithm = 'HS256', rotationSeconds = DEFAULT_ROTATION_SECONDS } = signing ?? {}
  return algorithm === 'HS256'
    ? createSecretSigner(secret)
    : createRotatingSigner({ ...rest, algorithm, rotationSeconds })
}

function validateParts({
  issuer,
  secret,
  providers,
  tokenTTL = 1,
  refreshTokenTTL = 1,
}: ComponentParts): void {
  if (!isSecureUrl(issuer) || /[?#]|\/$/.test(issuer)) {
    throw new TypeError(
      `The issuer "${issuer}" must be an https URL (http on loopback only) without a query, fragment or trailing slash.`,
    )
  }
  // The secret may be undefined at run time, for example when an environment variable is missing.
  if (Buffer.byteLength(secret ?? '') < MIN_SECRET_BYTES) {
    throw new TypeError(
      `The signing secret must be at least ${MIN_SECRET_BYTES} bytes long. Use 32 random bytes in hexadecimal.`,
    )
  }
  if (!(tokenTTL > 0) || !(refreshTokenTTL > 0))
    throw new TypeError('tokenTTL and refreshTokenTTL must be more than 0 seconds.')
  if (providers.length === 0) throw new TypeError('At least one identity provider is required.')
  for (const provider of providers) validateProvider(provider)
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new TypeError(`Two providers have the id "${twice}". Change one of the ids.`)
}

function requiredResource(resource: string): string {
  const canonical = canonicalResource(resource)
  if (canonical === undefined)
    throw new TypeError(`The resource "${resource}" must be an http(s) URL without a fragment.`)
  return canonical
}
