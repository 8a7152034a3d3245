import { keepClient } from '../clients/find-client.ts'
import { CODE_TTL_SECONDS, type Component, type Endpoint, SIGN_IN_TTL_SECONDS } from '../component.ts'
import { redirectResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { describeReason } from '../oauth-event.ts'
import { codeResponse, errorLocation } from '../rules/authorization-response.ts'
import { equalSecrets, hashToken, randomId, randomToken } from '../secrets.ts'
import type { CodeRecord, GrantRecord, SignInRecord } from '../storage/records.ts'
import { finishSignIn, type SignInError } from '../upstream/finish-sign-in.ts'
import type { UpstreamAccount } from '../upstream/provider.ts'
import { askConsent } from './ask-consent.ts'
import { signInCookie } from './begin-sign-in.ts'
import { rememberConsent } from './remembered-consent.ts'

/** GET callback: the user returns from the identity provider, and the client gets a code. */
export const callback: Endpoint = async (component, request) => {
  const url = new URL(request.url)
  const state = url.searchParams.get('state') ?? ''
  const signIn = await claimSignIn(component, request, state)
  const target = { ...signIn.request, issuer: component.issuer }
  const cookies = [component.cookies.clear(signInCookie(state))]
  try {
    const account = await completeSignIn(component, signIn, state, url)
    if (signIn.expectedSubject !== undefined && signIn.expectedSubject !== account.subject) {
      return await askOtherUser(component, request, signIn)
    }
    const code = await createCode(component, signIn, account)
    cookies.push(...rememberConsent(component, request, signIn, account.subject))
    return redirectResponse(codeResponse(target, code), 302, cookies)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return redirectResponse(errorLocation(target, error), 302, cookies)
  }
}

/**
 * Sign-in of a `state`, which works once and only in the browser that started it (RFC 9700 4.7). Otherwise, an attacker could
 * make a user complete the attacker's sign-in.
 */
async function claimSignIn(
  { storage, cookies, now }: Component,
  request: Request,
  state: string,
): Promise<SignInRecord> {
  const key = hashToken(state)
  const signIn = await storage.get<SignInRecord>('sign-in', key)
  const browser = cookies.read(request, signInCookie(state))
  const isOurs = signIn && browser !== undefined && equalSecrets(hashToken(browser), signIn.browserHash)
  const isFirst = isOurs && (await storage.insert('spent', `sign-in ${key}`, {}, now() + SIGN_IN_TTL_SECONDS))
  if (!isFirst)
    throw new OAuthError(
      'invalid_request',
      'This sign-in was not started in this browser, or it has finished or expired.',
    )
  await storage.delete('sign-in', key)
  return signIn
}

/** Asks for consent if the user is not the one whose consent was remembered. */
async function askOtherUser(
  component: Component,
  request: Request,
  { request: accepted }: SignInRecord,
): Promise<Response> {
  const client = await component.clients.find(accepted.clientId)
  if (client) return askConsent(component, request, client, accepted)
  throw new OAuthError('access_denied', 'The application is no longer registered. It must register again.')
}

async function completeSignIn(
  component: Component,
  signIn: SignInRecord,
  state: string,
  url: URL,
): Promise<UpstreamAccount> {
  const upstream = component.upstreams.get(signIn.providerId)
  if (!upstream || url.pathname !== new URL(signIn.redirectUri).pathname) {
    throw new OAuthError('access_denied', 'The response is not from the chosen identity provider.')
  }
  try {
    return await finishSignIn(upstream, url.searchParams, { ...signIn, state })
  } catch (error) {
    const { message, upstreamCode } = error as SignInError
    component.log({
      type: 'sign-in-failed',
      message,
      providerId: signIn.providerId,
      reason: describeReason(error),
    })
    throw new OAuthError(upstreamCode === 'temporarily_unavailable' ? upstreamCode : 'access_denied', message)
  }
}

async function createCode(
  component: Component,
  { request, providerId }: SignInRecord,
  account: UpstreamAccount,
) {
  const grantId = randomId()
  const code = randomToken()
  const expiresAt = component.now() + CODE_TTL_SECONDS
  const grant: GrantRecord = {
    clientId: request.clientId,
    subject: account.subject,
    providerId,
    scope: request.scope,
    resources: request.resources,
    account: component.sealer.seal('account', account),
    signedInAt: component.now(),
    keptUntil: expiresAt,
  }
  const record: CodeRecord = {
    grantId,
    clientId: request.clientId,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
  }
  await Promise.all([
    keepClient(component.storage, request.clientId),
    component.storage.put('grant', grantId, grant, expiresAt),
    component.storage.put('code', hashToken(code), record, expiresAt),
  ])
  return code
}
