import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { CONSOLE_COOKIE } from '../../shared/contract/access/console-sessions.ts'
import { CONSOLE_HOST } from '../../shared/names.ts'
import type { ConsoleSessions } from '../services/access/console-sessions.ts'
import { CONSOLE_PATH } from './console-page.ts'
import type { Bindings } from './endpoint.ts'
import { isConsole } from './middleware/host-check.ts'

const PATH = `${CONSOLE_PATH}sign-in`
const USED =
  'This URL has already been used, has expired, or is unknown. Run `mcp console` to get a new one.\n'
const FOREIGN = 'This URL was opened by another page. Open the URL from `mcp console` yourself.\n'

/**
 * The one-time URL that `POST /api/console/links` returns. It exchanges its code for a cookie and redirects to the console, so
 * that no URL of the console contains a secret.
 */
export function consoleSignIn(sessions: ConsoleSessions): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    if (context.req.path !== PATH) return next()
    context.header('Cache-Control', 'no-store')
    context.header('Referrer-Policy', 'no-referrer')
    if (context.req.method !== 'GET') return context.text('Use GET.\n', 405, { Allow: 'GET' })
    if (!isOpenedByUser(context)) return context.text(FOREIGN, 403)
    const page = pageOf(context.req.query('to'))
    const signedIn = sessions.signIn(context.req.query('code') ?? '')
    // A used URL still opens its page in a browser that is already signed in.
    if (!signedIn && sessions.find(getCookie(context, CONSOLE_COOKIE) ?? ''))
      return context.redirect(page, 303)
    if (!signedIn) return context.text(USED, 410)
    setCookie(context, CONSOLE_COOKIE, signedIn.cookie, { ...COOKIE, maxAge: signedIn.maxAgeSeconds })
    return context.redirect(page, 303)
  }
}

/** Path to open after the sign-in: `to` if it is a page of the console, otherwise the start page. */
function pageOf(to = '/'): string {
  const { pathname, search } = new URL(`/console${to}`, `http://${CONSOLE_HOST}`)
  return pathname.startsWith(CONSOLE_PATH) && pathname !== PATH ? pathname + search : CONSOLE_PATH
}

/** Without `Secure`, because the daemon serves plain HTTP on loopback. */
const COOKIE = { httpOnly: true, sameSite: 'Strict', path: '/' } as const

/** `Set-Cookie` value that removes the cookie. */
export const EXPIRED_COOKIE = `${CONSOLE_COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`

/**
 * True at the console's host unless another page or a prefetch opened the URL. Another page must not sign the browser in, and
 * a prefetch must not use up the URL.
 */
function isOpenedByUser(context: Context<Bindings>): boolean {
  const { req } = context
  const site = req.header('sec-fetch-site') ?? 'none'
  const isPrefetch = (req.header('sec-purpose') ?? req.header('purpose') ?? '').includes('prefetch')
  return isConsole(context) && (site === 'none' || site === 'same-origin') && !isPrefetch
}
