import type { MiddlewareHandler } from 'hono'
import type { SignIns } from '../services/sign-ins.ts'
import type { Bindings } from './endpoint.ts'
import { requireLoopback } from './host-check.ts'

/**
 * The authorization servers of protected deployments, and the daemon's own sign-in page. Pages of other origins may call what
 * clients call (RFC 9700 2.6); the pages for users look at `Origin` themselves. No API key is asked for.
 */
export function signIn(signIns: SignIns): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    if (!signIns.isAt(context.req.path)) return next()
    requireLoopback(context)
    const clientAddress = (context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)
      ?.incoming?.socket?.remoteAddress
    return signIns.fetch(context.req.raw, clientAddress === undefined ? {} : { clientAddress })
  }
}
