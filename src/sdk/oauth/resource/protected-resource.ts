import { wellKnown } from '../endpoints.ts'
import { privateNetworkHeader } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { canonicalResource } from '../rules/resource.ts'
import { parseScope } from '../rules/scope.ts'
import { challengeResponse } from './challenge.ts'
import { createTokenVerifier, type IssuerKeys, type TokenVerifier } from './token-verifier.ts'

export interface ProtectedResourceOptions {
  /** URL at which clients reach the MCP server. */
  resource: string
  /** Authorization server in this process, or the keys of one in another process. */
  authorizationServer: { issuer: string; verifyAccessToken: TokenVerifier } | IssuerKeys
  /** Scopes that each request needs. */
  requiredScopes?: readonly string[]
  /** Scopes in the metadata. Default: `requiredScopes`. */
  scopes?: readonly string[]
  /** Display name in clients. */
  name?: string
}

/** Sender of a request, with the fields of `AuthInfo` in the MCP SDK. */
export interface AuthInfo {
  token: string
  clientId: string
  scopes: string[]
  /** Seconds since 1970. */
  expiresAt: number
  resource: URL
  extra: { subject: string; claims: Record<string, unknown> }
}

/** MCP server that requires tokens. */
export interface ProtectedResource {
  /** URL of the metadata (RFC 9728), for `createAuthError`. */
  metadataUrl: string
  /** True for paths of the metadata. */
  has(pathname: string): boolean
  /** Answers requests for the metadata. Returns 404 for other paths. */
  fetch(request: Request): Promise<Response>
  /**
   * Authenticates a request by its `Authorization` header. Returns a response with 401 if the token is missing or invalid, 403
   * if a required scope is missing, and 503 if the issuer's keys are unavailable. Ignores tokens in the query (OAuth 2.1 5.1).
   */
  authenticate(authorization: string | null | undefined): Promise<AuthInfo | Response>
}

export function createProtectedResource(options: ProtectedResourceOptions): ProtectedResource {
  const { authorizationServer, requiredScopes = [] } = options
  const resource = canonicalResource(options.resource)
  if (resource === undefined) throw new TypeError(`The resource "${options.resource}" is not an http(s) URL.`)
  const metadataUrl = wellKnown(resource, 'oauth-protected-resource')
  // Clients try the URL with the path first, then the root (RFC 9728 3.1, MCP authorization).
  const paths = new Set([new URL(metadataUrl).pathname, '/.well-known/oauth-protected-resource'])
  const verify =
    'verifyAccessToken' in authorizationServer
      ? authorizationServer.verifyAccessToken
      : createTokenVerifier(authorizationServer)
  const document = describeResource(options, resource)
  return {
    metadataUrl,
    has: pathname => paths.has(pathname),
    fetch: async request =>
      paths.has(new URL(request.url).pathname)
        ? metadataResponse(document, request)
        : new Response(null, { status: 404 }),
    async authenticate(authorization) {
      try {
        return await identify({ verify, resource, requiredScopes }, authorization)
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        const isFirstTry = error === NO_TOKEN
        return challengeResponse({ metadataUrl, scopes: requiredScopes }, isFirstTry ? undefined : error)
      }
    },
  }
}

const NO_TOKEN = new OAuthError('invalid_token', 'The request has no token.')

interface Requirement {
  verify: TokenVerifier
  resource: string
  requiredScopes: readonly string[]
}

async function identify(
  { verify, resource, requiredScopes }: Requirement,
  authorization: string | null | undefined,
): Promise<AuthInfo> {
  // RFC 6750 2.1. The scheme is case-insensitive (RFC 9110 11.1).
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw NO_TOKEN
  const claims = await verify(token, resource)
  const scopes = parseScope(claims.scope)
  const missing = requiredScopes.filter(scope => !scopes.includes(scope))
  if (missing.length > 0) {
    throw new OAuthError(
      'insufficient_scope',
      `The token does not have the required scope: ${missing.join(' ')}.`,
    )
  }
  return {
    token,
    clientId: claims.client_id,
    scopes,
    expiresAt: claims.exp,
    resource: new URL(resource),
    extra: { subject: claims.sub, claims },
  }
}

/** RFC 9728 2. */
function describeResource(
  { authorizationServer, requiredScopes = [], scopes = requiredScopes, name }: ProtectedResourceOptions,
  resource: string,
) {
  return {
    resource,
    authorization_servers: [authorizationServer.issuer],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: name }),
  }
}

function metadataResponse(document: object, request: Request): Response {
  const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' }
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { ...cors, ...privateNetworkHeader(request) } })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response(null, { status: 405, headers: { ...cors, Allow: 'GET, HEAD' } })
  return new Response(request.method === 'HEAD' ? null : JSON.stringify(document), {
    headers: { ...cors, 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' },
  })
}
