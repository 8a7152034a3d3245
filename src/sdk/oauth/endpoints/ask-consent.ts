import { type Component, SIGN_IN_TTL_SECONDS } from '../component.ts'
import { consentPage } from '../pages/consent-page.ts'
import { hashToken, randomToken } from '../secrets.ts'
import type { AuthorizationRequest, Client } from '../storage/records.ts'

/** Request on a consent page, which only the same browser can approve. */
export interface ConsentTicket {
  request: AuthorizationRequest
  browserHash: string
  /** Seconds since 1970. */
  expiresAt: number
}

export const CONSENT_COOKIE = 'consent'

/** Shows the consent page. It contains the encrypted request, so that requests need no storage before approval. */
export function askConsent(
  component: Component,
  request: Request,
  client: Client,
  accepted: AuthorizationRequest,
): Response {
  const { upstreams, cookies, sealer, endpoints } = component
  const known = cookies.read(request, CONSENT_COOKIE)
  const browser = known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomToken()
  const ticket: ConsentTicket = {
    request: accepted,
    browserHash: hashToken(browser),
    expiresAt: component.now() + SIGN_IN_TTL_SECONDS,
  }
  const providers = [...upstreams.values()].map(({ provider: { id, name } }) => ({ id, name }))
  return consentPage({
    client,
    redirectUri: accepted.redirectUri,
    scope: accepted.scope,
    resources: accepted.resources,
    providers: providers.filter(({ id }) => (accepted.providerId ?? id) === id),
    action: endpoints.consent,
    ticket: sealer.seal('consent', ticket),
    cookie: cookies.write(CONSENT_COOKIE, browser, SIGN_IN_TTL_SECONDS),
  })
}
