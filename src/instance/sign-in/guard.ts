import { type CryptoKey, importJWK, type JWK } from 'jose'
import { writeResponse } from '../../sdk/oauth/adapters/node.ts'
import { OAuthError } from '../../sdk/oauth/oauth-error.ts'
import {
  type AuthInfo,
  createProtectedResource,
  type ProtectedResource,
} from '../../sdk/oauth/resource/protected-resource.ts'
import type { TokenVerifier } from '../../sdk/oauth/resource/token-verifier.ts'
import { grantIdOf } from '../../sdk/oauth/tokens/access-token.ts'
import { createAccessTokenVerifier } from '../../sdk/oauth/tokens/verify-access-token.ts'
import type { TenantAuth } from '../../shared/instance-protocol.ts'
import { preflightHeaders } from '../http/address-check.ts'
import { arrivalUrl } from '../http/arrival.ts'
import { type Exchange, sendEmpty } from '../http/exchange.ts'
import type { Caller } from '../prepared-server.ts'

/** Serves the request when its token is good; otherwise answers it. `path`: without the query. */
export type Guard = (exchange: Exchange, path: string, serve: () => void) => void

/** One for each name of the server that clients use; names come from clients, but only those that are served get here. */
const MAX_RESOURCES = 100

/** Verifies tokens with the issuer's public keys and what it has told to be revoked, without asking anybody. Rejects when a key is none. */
export async function createGuard(auth: TenantAuth, serverName: string): Promise<Guard> {
  const verifyAccessToken = await createVerifier(auth)
  const resources = new Map<string, ProtectedResource>()
  const resourceAt = (url: string) => {
    const known = resources.get(url)
    if (known) return known
    const made = createProtectedResource({
      resource: url,
      authorizationServer: { issuer: auth.issuer, verifyAccessToken },
      requiredScopes: auth.requiredScopes,
      scopes: auth.scopes,
      name: serverName,
    })
    if (resources.size >= MAX_RESOURCES) resources.delete(resources.keys().next().value!)
    resources.set(url, made)
    return made
  }
  return (exchange, path, serve) => {
    admit(exchange, path, resourceAt(arrivalUrl(exchange)), serve).catch(error => {
      exchange.tenant.log.server('error', `A request failed: ${(error as Error)?.stack ?? error}`)
      exchange.response.destroy()
    })
  }
}

async function createVerifier({ issuer, keys, revoked }: TenantAuth): Promise<TokenVerifier> {
  const imported = new Map<unknown, CryptoKey>()
  for (const key of keys) imported.set(key.kid, (await importJWK(key as JWK, 'EdDSA')) as CryptoKey)
  const verify = createAccessTokenVerifier({
    issuer,
    algorithm: 'EdDSA',
    key: async kid => imported.get(kid) ?? unknownKey(),
    now: () => Date.now() / 1000,
  })
  return async (token, audience) => {
    const claims = await verify(token, audience)
    if (Object.hasOwn(revoked, claims.jti) || Object.hasOwn(revoked, grantIdOf(claims)))
      throw new OAuthError('invalid_token', 'The token is revoked.')
    return claims
  }
}

/** With a code, or it would count as a fault of ours (verify-access-token.ts). */
function unknownKey(): never {
  throw Object.assign(new Error('the token names a key that the issuer does not have'), {
    code: 'UNKNOWN_KEY',
  })
}

async function admit(
  exchange: Exchange,
  path: string,
  resource: ProtectedResource,
  serve: () => void,
): Promise<void> {
  const { request, response } = exchange
  if (resource.has(path)) {
    const method = request.method ?? 'GET'
    return answer(exchange, await resource.fetch(new Request(resource.metadataUrl, { method })))
  }
  // Browsers send no token with a preflight (Fetch, "CORS-preflight fetch").
  if (request.method === 'OPTIONS') return sendEmpty(exchange, 204, preflightHeaders(request))
  const caller = await resource.authenticate(request.headers.authorization)
  if ('token' in caller) {
    exchange.caller = toCaller(caller)
    return serve()
  }
  exchange.tenant.log.refusal(caller.status, 'No token that is good here')
  if (response.destroyed) return
  return answer(exchange, caller)
}

/** RFC 9112 9.6: what drains sends its client to the next release. */
function answer({ tenant, response }: Exchange, answered: Response): Promise<void> {
  if (tenant.isLeaving) answered.headers.set('Connection', 'close')
  return writeResponse(answered, response)
}

function toCaller({ clientId, scopes, expiresAt, extra }: AuthInfo): Caller {
  return { subject: extra.subject, clientId, scopes, expiresAt, claims: extra.claims }
}
