import type { MiddlewareHandler } from 'hono'
import type { SignIns } from '../services/access/sign-ins.ts'
import type { Bindings } from './endpoint.ts'
import { requireLoopback } from './middleware/host-check.ts'

/**
 * Routes to the authorization servers of protected deployments and to the daemon's sign-in page, without an API key. Pages of
 * other origins may call the endpoints for clients (RFC 9700 2.6). The pages for users check `Origin` themselves.
 */
export function signIn(signIns: SignIns): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    if (!signIns.serves(context.req.path)) return next()
    requireLoopback(context)
    const clientAddress = (context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)
      ?.incoming?.socket?.remoteAddress
    return signIns.fetch(context.req.raw, clientAddress === undefined ? {} : { clientAddress })
  }
}
