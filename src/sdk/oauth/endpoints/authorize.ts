import { type Component, type Endpoint, SIGN_IN_TTL_SECONDS } from '../component.ts'
import { redirectResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { consentPage } from '../pages/consent-page.ts'
import { requestedRedirect, validateRequest } from '../rules/authorization-request.ts'
import { errorLocation } from '../rules/authorization-response.ts'
import { type Parameters, readParameters } from '../rules/parameters.ts'
import { hashToken, randomToken } from '../secrets.ts'
import type { AuthorizationRequest, Client } from '../storage/records.ts'
import { beginSignIn } from './begin-sign-in.ts'

/** A request, shown to the user, that only the same browser can approve. */
export interface ConsentTicket {
  request: AuthorizationRequest
  browserHash: string
  expiresAt: number
}

export const CONSENT_COOKIE = 'consent'

/** GET authorize (OAuth 2.1 4.1.1): checks the request and asks the user. */
export const authorize: Endpoint = async (component, request) => {
  const parameters = readParameters(new URL(request.url).searchParams)
  const client = await requestingClient(component, parameters)
  const redirectUri = requestedRedirect(parameters, client)
  try {
    const accepted = validateRequest(parameters, client, redirectUri, component)
    const providerId = chosenProvider(component, accepted)
    if (client.skipConsent && providerId) return await beginSignIn(component, accepted, providerId, 302)
    return askConsent(component, request, client, accepted)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const state = parameters.get('state')
    return redirectResponse(errorLocation({ redirectUri, state, issuer: component.issuer }, error), 302)
  }
}

async function requestingClient(component: Component, parameters: Parameters): Promise<Client> {
  const clientId = parameters.get('client_id')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'The request lacks a client_id.')
  const client = await component.clients.find(clientId)
  if (client) return client
  throw new OAuthError('invalid_request', 'The application is not known here. It must register anew.')
}

/** The provider that the request names, or the only one there is. */
function chosenProvider({ upstreams }: Component, { providerId }: AuthorizationRequest): string | undefined {
  if (providerId === undefined) return upstreams.size === 1 ? [...upstreams.keys()][0] : undefined
  if (upstreams.has(providerId)) return providerId
  const known = [...upstreams.keys()].join(', ')
  throw new OAuthError(
    'invalid_request',
    `There is no provider "${providerId.slice(0, 64)}"; there are: ${known}.`,
  )
}

/** The page keeps the request itself, sealed, so that requests nobody approves cost no storage. */
function askConsent(
  component: Component,
  request: Request,
  client: Client,
  accepted: AuthorizationRequest,
): Response {
  const { upstreams, cookies, sealer, endpoints } = component
  const browser = cookies.read(request, CONSENT_COOKIE) ?? randomToken()
  const ticket: ConsentTicket = {
    request: accepted,
    browserHash: hashToken(browser),
    expiresAt: component.now() + SIGN_IN_TTL_SECONDS,
  }
  const providers = [...upstreams.values()].map(({ provider }) => ({ id: provider.id, name: provider.name }))
  return consentPage({
    client,
    redirectUri: accepted.redirectUri,
    scope: accepted.scope,
    resources: accepted.resources,
    providers: providers.filter(({ id }) => accepted.providerId === undefined || id === accepted.providerId),
    action: endpoints.consent,
    ticket: sealer.seal('consent', ticket),
    cookie: cookies.write(CONSENT_COOKIE, browser, SIGN_IN_TTL_SECONDS),
  })
}
