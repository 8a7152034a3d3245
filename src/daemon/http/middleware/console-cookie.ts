import { getCookie } from 'hono/cookie'
import { CONSOLE_COOKIE } from '../../../shared/contract/access/console-sessions.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiContext } from '../endpoint.ts'
import { isConsole } from './host-check.ts'

/**
 * Returns the console's cookie from a request by one of its pages. It is only valid at the console's host. Throws FORBIDDEN for
 * a request that another page makes the browser send.
 */
export function consoleCookie(context: ApiContext): string | undefined {
  const cookie = isConsole(context) ? getCookie(context, CONSOLE_COOKIE) : undefined
  if (cookie !== undefined) requireOwnPage(context)
  return cookie
}

/** Pages on another port of the host belong to the same site, so `SameSite` does not stop them. */
function requireOwnPage(context: ApiContext): void {
  const { method } = context.req
  const own = `http://${context.req.header('host')}`
  const isRead = method === 'GET' || method === 'HEAD'
  const site = context.req.header('sec-fetch-site')
  const origin = context.req.header('origin')
  const isOwn =
    site === undefined
      ? origin === own || (isRead && origin === undefined)
      : site === 'same-origin' || (isRead && site === 'none')
  if (isOwn) return
  throw new HostingError('FORBIDDEN', `This ${method} request is not from a page of the console.`, {
    details: 'With the cookie of the console, only its own pages may send requests. Programs use an API key.',
  })
}
