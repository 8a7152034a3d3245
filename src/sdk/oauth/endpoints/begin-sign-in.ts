import { type Component, SIGN_IN_TTL_SECONDS } from '../component.ts'
import { redirectResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { describeReason } from '../oauth-event.ts'
import { hashToken, randomToken } from '../secrets.ts'
import type { AuthorizationRequest, SignInRecord } from '../storage/records.ts'
import { authorizationUrl } from '../upstream/upstream.ts'

export interface SignInChoice {
  providerId: string
  /** 303 after a form. */
  status: 302 | 303
  /** User whose remembered consent replaces the consent page. */
  expectedSubject?: string
}

/** Redirects the browser to the identity provider, with a cookie that the callback requires. */
export async function beginSignIn(
  component: Component,
  request: AuthorizationRequest,
  { providerId, status, expectedSubject }: SignInChoice,
): Promise<Response> {
  const browser = randomToken()
  const start = {
    redirectUri: callbackUrl(component, providerId),
    state: randomToken(),
    nonce: randomToken(),
    codeVerifier: randomToken(),
  }
  const location = await upstreamUrl(component, providerId, start)
  const { state, ...rest } = start
  const record: SignInRecord = {
    ...rest,
    request,
    providerId,
    browserHash: hashToken(browser),
    expectedSubject,
  }
  await component.storage.put('sign-in', hashToken(state), record, component.now() + SIGN_IN_TTL_SECONDS)
  return redirectResponse(location, status, [
    component.cookies.write(signInCookie(state), browser, SIGN_IN_TTL_SECONDS),
  ])
}

/** Name of the cookie, different for each sign-in, so that concurrent sign-ins in a browser do not interfere. */
export function signInCookie(state: string): string {
  return `sign-in-${hashToken(state).slice(0, 12)}`
}

function callbackUrl({ endpoints, distinctCallbacks }: Component, providerId: string): string {
  return distinctCallbacks ? `${endpoints.callback}/${providerId}` : endpoints.callback
}

async function upstreamUrl(
  component: Component,
  providerId: string,
  start: Parameters<typeof authorizationUrl>[1],
): Promise<string> {
  const upstream = component.upstreams.get(providerId)!
  try {
    return await authorizationUrl(upstream, start)
  } catch (cause) {
    const message = `${upstream.provider.name} cannot be reached.`
    component.log({ type: 'sign-in-failed', message, providerId, reason: describeReason(cause) })
    throw new OAuthError('temporarily_unavailable', message, { cause })
  }
}
