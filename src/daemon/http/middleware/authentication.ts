import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiKeys, Principal } from '../../services/access/api-keys.ts'
import type { ApiContext, Bindings } from '../endpoint.ts'

const DETAILS =
  'Send a valid key as "Authorization: Bearer <API_KEY>". Create one with `mcp keys create`, save it with `mcp login`.'

/** Whether a request may do something, by method and path. */
type Rule = (method: string, path: string) => boolean

/**
 * Authenticates by bearer key (RFC 6750). Expired keys only pass if `takesExpired` returns true. If `forwards` returns
 * true, the key may be in `X-Api-Key`, and `Authorization` is the server's.
 */
export function authentication(
  apiKeys: ApiKeys,
  { takesExpired, forwards }: { takesExpired: Rule; forwards: Rule },
): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    const { method, path } = context.req
    const inOwnHeader = context.req.header('x-api-key') !== undefined && forwards(method, path)
    context.set('credential', inOwnHeader ? 'x-api-key' : 'authorization')
    const principal = authenticate(context, apiKeys)
    if (apiKeys.isExpired(principal) && !takesExpired(method, path))
      throw refuse(
        context,
        'invalid_token',
        `The API key "${principal.name}" expired at ${principal.expiresAt}.`,
      )
    context.set('lifetime', apiKeys.lifetime(principal))
    context.set('principal', apiKeys.touch(principal))
    await next()
  }
}

function authenticate(context: ApiContext, apiKeys: ApiKeys): Principal {
  const secret =
    context.get('credential') === 'x-api-key' ? context.req.header('x-api-key')! : bearerKey(context)
  const principal = apiKeys.find(secret)
  if (!principal) throw refuse(context, 'invalid_token', 'The API key is unknown or was revoked.')
  return principal
}

function bearerKey(context: ApiContext): string {
  const header = context.req.header('authorization')
  if (!header) throw refuse(context, undefined, 'The request has no API key.')
  const secret = /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  if (secret) return secret
  throw refuse(context, 'invalid_request', 'The Authorization header must read "Bearer <API_KEY>".')
}

/** Without a credential, the challenge has no error (RFC 6750 section 3). */
function refuse(context: ApiContext, error: string | undefined, message: string): HostingError {
  context.header('WWW-Authenticate', `Bearer realm="mcp-hosting"${error ? `, error="${error}"` : ''}`)
  return new HostingError('UNAUTHORIZED', message, { details: DETAILS })
}
