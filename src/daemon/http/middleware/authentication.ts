import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import type { Principal } from '../../services/access/api-keys.ts'
import type { Services } from '../../services/services.ts'
import type { ApiContext, Bindings, CredentialHeader } from '../endpoint.ts'
import { consoleCookie } from './console-cookie.ts'

const DETAILS =
  'Send a valid key as "Authorization: Bearer <API_KEY>". Create one with `mcp keys create` and save it with `mcp login`.'

/** Condition on the method and path of a request. */
type Rule = (method: string, path: string) => boolean

type KeyFinders = Pick<Services, 'apiKeys' | 'consoleSessions'>

/**
 * Authenticates by bearer key (RFC 6750), or by the cookie of the console. Expired keys only pass if `takesExpired` returns
 * true. If `forwards` returns true, the key may be in `X-Api-Key`, and `Authorization` is then for the server.
 */
export function authentication(
  services: KeyFinders,
  { takesExpired, forwards }: { takesExpired: Rule; forwards: Rule },
): MiddlewareHandler<Bindings> {
  const { apiKeys } = services
  return async (context, next) => {
    const { method, path } = context.req
    context.set('credential', credentialOf(context, forwards(method, path)))
    const principal = authenticate(context, services)
    if (apiKeys.isExpired(principal) && !takesExpired(method, path))
      throw refuse(
        context,
        'invalid_token',
        `The API key "${principal.name}" expired at ${principal.expiresAt}.`,
      )
    context.set('lifetime', lifetimeOf(context, principal, services))
    context.set('principal', apiKeys.touch(principal))
    await next()
  }
}

/** A key in the request takes precedence over the cookie of the browser. */
function credentialOf(context: ApiContext, isForwarded: boolean): CredentialHeader {
  if (isForwarded && context.req.header('x-api-key') !== undefined) return 'x-api-key'
  const isForApi = !isForwarded && context.req.header('authorization') !== undefined
  return !isForApi && consoleCookie(context) !== undefined ? 'cookie' : 'authorization'
}

function authenticate(context: ApiContext, services: KeyFinders): Principal {
  const credential = context.get('credential')
  if (credential === 'cookie') return signedIn(context, services)
  const secret = credential === 'x-api-key' ? context.req.header('x-api-key')! : bearerKey(context)
  const principal = services.apiKeys.find(secret)
  if (!principal) throw refuse(context, 'invalid_token', 'The API key is unknown or was revoked.')
  return principal
}

/** The key whose rights the signed-in browser has. */
function signedIn(context: ApiContext, { consoleSessions }: KeyFinders): Principal {
  const found = consoleSessions.find(consoleCookie(context)!)
  if (!found)
    throw refuse(context, 'invalid_token', 'This browser is no longer signed in. Run `mcp console`.')
  context.set('consoleSession', found.session)
  return found.principal
}

/** A browser's streams also end when the browser is signed out. */
function lifetimeOf(context: ApiContext, principal: Principal, services: KeyFinders): AbortSignal {
  const session = context.get('consoleSession')
  const ofKey = services.apiKeys.lifetime(principal)
  return session ? AbortSignal.any([ofKey, services.consoleSessions.lifetime(session)]) : ofKey
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
