import type { Component, Endpoint } from '../component.ts'
import { redirectResponse } from '../http/responses.ts'
import { OAuthError } from '../oauth-error.ts'
import { errorPage } from '../pages/error-page.ts'
import { requestedRedirect, validateRequest } from '../rules/authorization-request.ts'
import { errorLocation, type ResponseTarget } from '../rules/authorization-response.ts'
import { type Parameters, readParameters } from '../rules/parameters.ts'
import { isLoopbackRedirect } from '../rules/redirect-uri.ts'
import type { AuthorizationRequest, Client } from '../storage/records.ts'
import { askConsent } from './ask-consent.ts'
import { beginSignIn } from './begin-sign-in.ts'
import { findConsent } from './remembered-consent.ts'

/** GET authorize (OAuth 2.1 4.1.1): validates the request and asks the user for consent if necessary. */
export const authorize: Endpoint = async (component, request) => {
  const parameters = readParameters(new URL(request.url).searchParams)
  const client = await requestingClient(component, parameters)
  const redirectUri = requestedRedirect(parameters, client)
  try {
    const accepted = validateRequest(parameters, client, redirectUri, component)
    const forcesConsent = parameters.get('prompt') !== undefined
    return await continueWith(component, request, { client, accepted, forcesConsent })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const target = { redirectUri, state: parameters.get('state'), issuer: component.issuer }
    return refuse(client, target, error)
  }
}

/**
 * Reports the error through a redirect to a configured client or to the user's computer. For other clients, shows a page with a
 * link, because anyone could register a URL and redirect users there through invalid requests (RFC 9700 4.11.2).
 */
function refuse(client: Client, target: ResponseTarget, error: OAuthError): Response {
  const location = errorLocation(target, error)
  const { redirectUri } = target
  if (client.origin === 'configured' || isLoopbackRedirect(redirectUri))
    return redirectResponse(location, 302)
  return errorPage(error, { redirectUri, location })
}

async function requestingClient(component: Component, parameters: Parameters): Promise<Client> {
  const clientId = parameters.get('client_id')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'The request has no client_id.')
  const client = await component.clients.find(clientId)
  if (client) return client
  throw new OAuthError('invalid_request', 'The application is unknown. It must register again.')
}

interface AcceptedRequest {
  client: Client
  accepted: AuthorizationRequest
  /** True when the request has a `prompt` (OpenID Connect Core 3.1.2.1). A remembered consent is then ignored. */
  forcesConsent: boolean
}

async function continueWith(
  component: Component,
  request: Request,
  { client, accepted, forcesConsent }: AcceptedRequest,
): Promise<Response> {
  const providerId = chosenProvider(component, accepted)
  if (client.skipConsent && providerId !== undefined) {
    return beginSignIn(component, accepted, { providerId, status: 302 })
  }
  const remembered = forcesConsent ? undefined : findConsent(component, request, client, accepted)
  if (remembered) return beginSignIn(component, accepted, { ...remembered, status: 302 })
  return askConsent(component, request, client, accepted)
}

/** The requested provider, or the only one. */
function chosenProvider({ upstreams }: Component, { providerId }: AuthorizationRequest): string | undefined {
  if (providerId === undefined) return upstreams.size === 1 ? [...upstreams.keys()][0] : undefined
  if (upstreams.has(providerId)) return providerId
  const known = [...upstreams.keys()].join(', ')
  throw new OAuthError(
    'invalid_request',
    `The provider "${providerId.slice(0, 64)}" is unknown. Known providers: ${known}.`,
  )
}
