import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../shared/errors.ts'
import type { ApiContext, Bindings } from './endpoint.ts'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Keeps web pages out: a page that had its own name rebound to 127.0.0.1 sends that name as Host, any other page sends
 * its own Origin (https://owasp.org/www-community/attacks/DNS_Rebinding).
 */
export const hostCheck: MiddlewareHandler<Bindings> = async (context, next) => {
  const host = requireLoopback(context)
  const origin = context.req.header('origin')
  if (origin !== undefined && origin !== `http://${host}`)
    throw new HostingError('FORBIDDEN', `Requests from pages of "${origin}" are not served.`)
  await next()
}

/** The `Host` of a request. Throws FORBIDDEN for one that is not of this machine. */
export function requireLoopback(context: ApiContext): string {
  const host = context.req.header('host') ?? ''
  if (LOOPBACK_HOST.test(host)) return host
  throw new HostingError('FORBIDDEN', `The Host "${host}" is not served; use 127.0.0.1 or localhost.`)
}
