import type { Component, Endpoint } from '../component.ts'
import { readForm } from '../http/request-body.ts'
import { redirectResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { errorLocation } from '../rules/authorization-response.ts'
import { equalSecrets, hashToken } from '../secrets.ts'
import { CONSENT_COOKIE, type ConsentTicket } from './ask-consent.ts'
import { beginSignIn } from './begin-sign-in.ts'

/** POST of the consent page: redirects to the identity provider, or to the client with an error. */
export const consent: Endpoint = async (component, request) => {
  refuseForeignOrigin(component, request)
  const form = await readForm(request)
  const ticket = openTicket(component, request, form.get('ticket'))
  const providerId = form.get('provider')
  try {
    if (form.get('deny') || providerId === undefined)
      throw new OAuthError('access_denied', 'The user denied access.')
    requireOffered(component, ticket, providerId)
    return await beginSignIn(component, ticket.request, { providerId, status: 303 })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return redirectResponse(errorLocation({ ...ticket.request, issuer: component.issuer }, error), 303)
  }
}

/** Throws if `Origin` shows that another site sent the form. Browsers send "null" to hide an origin. */
function refuseForeignOrigin({ issuer }: Component, request: Request): void {
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(issuer).origin) return
  throw new OAuthError('access_denied', 'The form was sent by another site.', { status: 403 })
}

/** The ticket is the CSRF token. It is only valid with the cookie of the browser that showed the page. */
function openTicket(component: Component, request: Request, sealed: string | undefined): ConsentTicket {
  const ticket = component.sealer.unseal<ConsentTicket>('consent', sealed ?? '')
  const browser = component.cookies.read(request, CONSENT_COOKIE)
  const isOurs = ticket && browser !== undefined && equalSecrets(hashToken(browser), ticket.browserHash)
  if (isOurs && ticket.expiresAt > component.now()) return ticket
  throw new OAuthError('access_denied', 'The form was not opened in this browser, or it has expired.', {
    status: 403,
  })
}

function requireOffered({ upstreams }: Component, { request }: ConsentTicket, providerId: string): void {
  const isOffered = upstreams.has(providerId) && (request.providerId ?? providerId) === providerId
  if (!isOffered) throw new OAuthError('invalid_request', 'The chosen provider was not offered.')
}
