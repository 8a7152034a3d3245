import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import { CONSOLE_HOST } from '../../../shared/names.ts'
import type { ApiContext, Bindings } from '../endpoint.ts'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Rejects requests from web pages of other origins. A page whose name was rebound to 127.0.0.1 sends that name as Host. Any
 * other page sends its Origin (https://owasp.org/www-community/attacks/DNS_Rebinding).
 */
export const hostCheck: MiddlewareHandler<Bindings> = async (context, next) => {
  const host = isConsole(context) ? context.req.header('host')! : requireLoopback(context)
  const origin = context.req.header('origin')
  if (origin !== undefined && origin !== `http://${host}`)
    throw new HostingError('FORBIDDEN', `Requests from web pages of "${origin}" are not allowed.`)
  await next()
}

/** True if the request names the console's own host, which only resolves to loopback. */
export function isConsole(context: ApiContext): boolean {
  return context.req.header('host')?.toLowerCase().split(':')[0] === CONSOLE_HOST
}

/** The `Host` of a request. Throws FORBIDDEN unless it is a loopback name. */
export function requireLoopback(context: ApiContext): string {
  const host = context.req.header('host') ?? ''
  if (LOOPBACK_HOST.test(host)) return host
  throw new HostingError('FORBIDDEN', `The Host "${host}" is not allowed. Use 127.0.0.1 or localhost.`)
}
