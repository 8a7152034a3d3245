import type { Component } from '../component.ts'
import { hashToken } from '../secrets.ts'
import type { AuthorizationRequest, Client, SignInRecord } from '../storage/records.ts'

const COOKIE = 'consents'
/** So many fit into a cookie of 4 KiB. */
const MAX_REMEMBERED = 10

interface RememberedConsent {
  /** Hash of everything that the user agreed to. */
  agreement: string
  providerId: string
  subject: string
  expiresAt: number
}

/** A consent of the same browser to the very same request, and the user who gave it. */
export function findConsent(
  component: Component,
  request: Request,
  client: Client,
  accepted: AuthorizationRequest,
): { providerId: string; expectedSubject: string } | undefined {
  // What has no registration could be anybody each time.
  if (component.rememberConsentSeconds === undefined || client.origin === 'unregistered') return undefined
  const agreement = agreementOf(accepted)
  const found = readConsents(component, request).find(consent => consent.agreement === agreement)
  return found && { providerId: found.providerId, expectedSubject: found.subject }
}

/** The cookie with one more consent in it; none when consents are not remembered. */
export function rememberConsent(
  component: Component,
  request: Request,
  { request: accepted, providerId }: SignInRecord,
  subject: string,
): string[] {
  const seconds = component.rememberConsentSeconds
  if (seconds === undefined) return []
  const agreement = agreementOf(accepted)
  const others = readConsents(component, request).filter(consent => consent.agreement !== agreement)
  const consents = [{ agreement, providerId, subject, expiresAt: component.now() + seconds }, ...others]
  const sealed = component.sealer.seal('consents', consents.slice(0, MAX_REMEMBERED))
  return [component.cookies.write(COOKIE, sealed, seconds)]
}

function readConsents({ cookies, sealer, now }: Component, request: Request): RememberedConsent[] {
  const consents = sealer.unseal<RememberedConsent[]>('consents', cookies.read(request, COOKIE) ?? '') ?? []
  return consents.filter(({ expiresAt }) => expiresAt > now())
}

/** Client, address, permissions and resources; of a loopback address not the port, which is another each time. */
function agreementOf({
  clientId,
  redirectUri,
  scope,
  resources,
  providerId = '',
}: AuthorizationRequest): string {
  const address = redirectUri.replace(/^(http:\/\/[^/:]+|http:\/\/\[::1\]):\d+/, '$1')
  return hashToken(JSON.stringify([clientId, address, scope, resources, providerId]))
}
