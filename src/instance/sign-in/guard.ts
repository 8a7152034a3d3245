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
import type { TenantAuth } from '../../shared/instances/instance-protocol.ts'
import type { Guard, HttpExchange } from '../http/http-exchange.ts'
import { originalUrl } from '../http/original-url.ts'
import { logRefusal } from '../http/responses.ts'
import type { Caller } from '../server/client-context.ts'

/** Maximum number of resources, one per host name of the server. Requests under other names are refused earlier. */
const MAX_RESOURCES = 100

/** Verifies tokens with the issuer's keys and list of revoked tokens. Makes no network request. Rejects when a key is invalid. */
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
    admit(exchange, path, resourceAt(originalUrl(exchange)), serve).catch(error => {
      exchange.tenant.log.server('error', `Request failed: ${(error as Error)?.stack ?? error}`)
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

/** Throws an error with a code, because verify-access-token.ts treats errors without one as internal. */
function unknownKey(): never {
  throw Object.assign(new Error('The token names a key that the issuer does not have.'), {
    code: 'UNKNOWN_KEY',
  })
}

async function admit(
  exchange: HttpExchange,
  path: string,
  resource: ProtectedResource,
  serve: () => void,
): Promise<void> {
  const { request, response } = exchange
  if (resource.has(path)) {
    const method = request.method ?? 'GET'
    return answer(exchange, await resource.fetch(new Request(resource.metadataUrl, { method })))
  }
  const caller = await resource.authenticate(request.headers.authorization)
  if ('token' in caller) {
    exchange.caller = toCaller(caller)
    return serve()
  }
  logRefusal(exchange, caller.status, 'no valid token')
  if (response.destroyed) return
  return answer(exchange, caller)
}

/** Sends the answer. A draining instance sends its clients to the next release (RFC 9112 9.6). */
function answer({ tenant, response }: HttpExchange, answered: Response): Promise<void> {
  if (tenant.closesConnections) answered.headers.set('Connection', 'close')
  return writeResponse(answered, response)
}

function toCaller({ clientId, scopes, expiresAt, extra }: AuthInfo): Caller {
  return { subject: extra.subject, clientId, scopes, expiresAt, claims: extra.claims }
}
