import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiKeys, Principal } from '../../services/access/api-keys.ts'
import type { ApiContext, Bindings } from '../endpoint.ts'

const DETAILS =
  'Send a valid key as "Authorization: Bearer <API_KEY>". Create one with `mcp keys create`, save it with `mcp login`.'

/** Authenticates by bearer key (RFC 6750). Expired keys only pass if `takesExpired` returns true. */
export function authentication(
  apiKeys: ApiKeys,
  takesExpired: (method: string, path: string) => boolean,
): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    const principal = authenticate(context, apiKeys)
    if (apiKeys.isExpired(principal) && !takesExpired(context.req.method, context.req.path))
      throw refuse(
        context,
        'invalid_token',
        `The API key "${principal.name}" expired at ${principal.expiresAt}.`,
      )
    context.set('principal', apiKeys.touch(principal))
    await next()
  }
}

function authenticate(context: ApiContext, apiKeys: ApiKeys): Principal {
  const header = context.req.header('authorization')
  if (!header) throw refuse(context, undefined, 'The request has no API key.')
  const secret = /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  if (!secret)
    throw refuse(context, 'invalid_request', 'The Authorization header must read "Bearer <API_KEY>".')
  const principal = apiKeys.find(secret)
  if (!principal) throw refuse(context, 'invalid_token', 'The API key is unknown or was revoked.')
  return principal
}

/** Without a credential, the challenge has no error (RFC 6750 section 3). */
function refuse(context: ApiContext, error: string | undefined, message: string): HostingError {
  context.header('WWW-Authenticate', `Bearer realm="mcp-hosting"${error ? `, error="${error}"` : ''}`)
  return new HostingError('UNAUTHORIZED', message, { details: DETAILS })
}
