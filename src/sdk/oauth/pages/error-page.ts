import type { OAuthError } from '../oauth-error.ts'
import { destination } from './destination.ts'
import { type Html, html, pageResponse } from './html.ts'

export interface ReturnLink {
  redirectUri: string
  /** Redirect URI with the error as parameters. */
  location: string
}

/** Page for errors that must not be reported through a redirect, because its target is not trusted (RFC 6749 4.1.2.1). */
export function errorPage(error: OAuthError, returnLink?: ReturnLink): Response {
  const body = html`<h1>Sign-in failed</h1>
<p>${error.message}</p>
${returnLink ? link(returnLink) : html`<p>Go back to the application and start again.</p>`}
<p>(${error.code})</p>`
  return pageResponse('Sign-in failed', body, { status: error.status, headers: error.headers })
}

function link({ redirectUri, location }: ReturnLink): Html {
  return html`<p><a href="${location}" rel="noreferrer">Go back to ${destination(redirectUri)}</a></p>`
}
