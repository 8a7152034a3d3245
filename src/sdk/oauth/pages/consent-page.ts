import { isLoopbackRedirect } from '../rules/redirect-uri.ts'
import type { Client } from '../storage/records.ts'
import { destination } from './destination.ts'
import { type Html, html, pageResponse } from './html.ts'

export interface ConsentPage {
  client: Client
  redirectUri: string
  scope: readonly string[]
  resources: readonly string[]
  /** Shown as buttons. */
  providers: readonly { id: string; name: string }[]
  /** URL of the form. */
  action: string
  /** Encrypted request. With the cookie, it proves that the form is ours. */
  ticket: string
  cookie: string
}

/** Asks the user for consent. The identity provider cannot ask, because it only knows this component and not the client. */
export function consentPage(page: ConsentPage): Response {
  const name = page.client.client_name ?? page.client.client_id
  const body = html`<h1>${name} wants to sign you in</h1>
<dl>
<dt>Application</dt><dd>${name}${origin(page.client)}</dd>
<dt>Redirects to</dt><dd>${destination(page.redirectUri)}</dd>
<dt>Access to</dt>${page.resources.map(resource => html`<dd>${resource}</dd>`)}
${page.scope.length > 0 ? html`<dt>Permissions</dt><dd>${page.scope.join(', ')}</dd>` : undefined}
</dl>
${warning(page)}
<form method="post" action="${page.action}">
<input type="hidden" name="ticket" value="${page.ticket}">
${page.providers.map(({ id, name }) => html`<button class="allow" name="provider" value="${id}">Continue with ${name}</button>`)}
<button name="deny" value="1">Cancel</button>
</form>`
  return pageResponse(`Allow ${name}?`, body, { cookies: [page.cookie] })
}

function origin({ origin, client_id }: Client): Html | undefined {
  return origin === 'metadata-document' ? html` (from ${new URL(client_id).host})` : undefined
}

function warning({ client, redirectUri }: ConsentPage): Html | undefined {
  if (client.origin === 'configured') return undefined
  const advice = isLoopbackRedirect(redirectUri)
    ? 'Any program on this computer can send such a request.'
    : 'The name of this application is not verified.'
  return html`<p class="warning">${advice} Continue only if you started this sign-in yourself.</p>`
}
