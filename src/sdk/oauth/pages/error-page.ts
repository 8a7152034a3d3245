import type { OAuthError } from '../oauth-error.ts'
import { html, pageResponse } from './html.ts'

/** For errors that must not be told by a redirect, since nobody knows whose address it is (RFC 6749 4.1.2.1). */
export function errorPage(error: OAuthError, cookies: string[] = []): Response {
  const body = html`<h1>Sign-in cannot go on</h1>
<p>${error.message}</p>
<p>Go back to the application and start again. (${error.code})</p>`
  return pageResponse('Sign-in cannot go on', body, { status: error.status, cookies })
}
