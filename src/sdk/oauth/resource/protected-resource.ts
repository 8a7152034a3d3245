import { wellKnown } from '../endpoints.ts'
import { OAuthError } from '../oauth-error.ts'
import { canonicalResource } from '../rules/resource.ts'
import { parseScope } from '../rules/scope.ts'
import { challengeResponse } from './challenge.ts'
import { createTokenVerifier, type IssuerKeys, type TokenVerifier } from './token-verifier.ts'

export interface ProtectedResourceOptions {
  /** URL of the MCP server, as clients use it. */
  resource: string
  /** Who issues tokens for it: a component in this process, or the keys of one in another. */
  authorizationServer: { issuer: string; verifyAccessToken: TokenVerifier } | IssuerKeys
  /** Every request needs these. */
  requiredScopes?: readonly string[]
  /** Told in the metadata. Default: `requiredScopes`. */
  scopes?: readonly string[]
  /** Shown to users by clients. */
  name?: string
}

/** Who sends a request; the fields of the MCP SDKs' `AuthInfo`. */
export interface AuthInfo {
  token: string
  clientId: string
  scopes: string[]
  /** Seconds since 1970. */
  expiresAt: number
  resource: URL
  extra: { subject: string; claims: Record<string, unknown> }
}

/** An MCP server that takes requests with a token only. */
export interface ProtectedResource {
  /** Of its metadata (RFC 9728): for `createAuthError`. */
  metadataUrl: string
  has(pathname: string): boolean
  /** Answers the metadata's addresses. */
  fetch(request: Request): Promise<Response>
  /**
   * Who sends a request, by its `Authorization` header; or the answer that it gets instead: 401 without a good token, 403 with
   * too little scope. A token in the query is not looked at (OAuth 2.1 5.1).
   */
  authenticate(authorization: string | null | undefined): Promise<AuthInfo | Response>
}

export function createProtectedResource(options: ProtectedResourceOptions): ProtectedResource {
  const { authorizationServer, requiredScopes = [] } = options
  const resource = canonicalResource(options.resource)
  if (resource === undefined) throw new TypeError(`The resource "${options.resource}" is no http(s) URL.`)
  const metadataUrl = wellKnown(resource, 'oauth-protected-resource')
  // Clients try the place with the path first, then the root (RFC 9728 3.1, MCP authorization).
  const paths = new Set([new URL(metadataUrl).pathname, '/.well-known/oauth-protected-resource'])
  const verify =
    'verifyAccessToken' in authorizationServer
      ? authorizationServer.verifyAccessToken
      : createTokenVerifier(authorizationServer)
  const document = describeResource(options, resource)
  return {
    metadataUrl,
    has: pathname => paths.has(pathname),
    fetch: async request => metadataResponse(document, request),
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
  // RFC 6750 2.1; the scheme in any case (RFC 9110 11.1).
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw NO_TOKEN
  const claims = await verify(token, resource)
  const scopes = parseScope(claims.scope)
  const missing = requiredScopes.filter(scope => !scopes.includes(scope))
  if (missing.length > 0) {
    throw new OAuthError('insufficient_scope', `The token lacks the scope: ${missing.join(' ')}.`)
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
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response(null, { status: 405, headers: { ...cors, Allow: 'GET, HEAD' } })
  return new Response(request.method === 'HEAD' ? null : JSON.stringify(document), {
    headers: { ...cors, 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' },
  })
}
