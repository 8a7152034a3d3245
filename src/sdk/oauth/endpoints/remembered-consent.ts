import type { Component } from '../component.ts'
import { hashToken } from '../secrets.ts'
import type { AuthorizationRequest, Client, SignInRecord } from '../storage/records.ts'

const COOKIE = 'consents'
/** Keeps the cookie below its maximum size of 4 KiB. */
const MAX_REMEMBERED = 10

interface RememberedConsent {
  /** Hash of the request that the user consented to. */
  agreement: string
  providerId: string
  subject: string
  expiresAt: number
}

/** Finds the user and provider of a consent to an identical request from the same browser. */
export function findConsent(
  component: Component,
  request: Request,
  client: Client,
  accepted: AuthorizationRequest,
): { providerId: string; expectedSubject: string } | undefined {
  // Each request of an unregistered client could be from another program.
  if (component.rememberConsentSeconds === undefined || client.origin === 'unregistered') return undefined
  const agreement = agreementOf(accepted)
  const found = readConsents(component, request).find(consent => consent.agreement === agreement)
  return found && { providerId: found.providerId, expectedSubject: found.subject }
}

/** Cookies that add a consent. Empty when consents are not remembered. */
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

/**
 * Hash of client, redirect URI, scopes, resources and requested provider. Ignores the port of a loopback URI, which changes each
 * time.
 */
function agreementOf({
  clientId,
  redirectUri,
  scope,
  resources,
  providerId = '',
}: AuthorizationRequest): string {
  const redirect = redirectUri.replace(/^(http:\/\/[^/:]+|http:\/\/\[::1\]):\d+/, '$1')
  return hashToken(JSON.stringify([clientId, redirect, scope, resources, providerId]))
}
