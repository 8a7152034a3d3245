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

/** GET authorize (OAuth 2.1 4.1.1): checks the request and asks the user. */
export const authorize: Endpoint = async (component, request) => {
  const parameters = readParameters(new URL(request.url).searchParams)
  const client = await requestingClient(component, parameters)
  const redirectUri = requestedRedirect(parameters, client)
  try {
    const accepted = validateRequest(parameters, client, redirectUri, component)
    const asksAnew = parameters.get('prompt') !== undefined
    return await continueWith(component, request, { client, accepted, asksAnew })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const target = { redirectUri, state: parameters.get('state'), issuer: component.issuer }
    return refuse(client, target, error)
  }
}

/**
 * Tells the client by a redirect, when it leads to somebody the operator knows or to the user's own computer. Else the user is told,
 * and goes on by a click: anybody can register an address, and have us send users there by a request that must fail
 * (RFC 9700 4.11.2).
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
  if (clientId === undefined) throw new OAuthError('invalid_request', 'The request lacks a client_id.')
  const client = await component.clients.find(clientId)
  if (client) return client
  throw new OAuthError('invalid_request', 'The application is not known here. It must register anew.')
}

interface Accepted {
  client: Client
  accepted: AuthorizationRequest
  /** The client wants its user to be asked, whatever was remembered (OpenID Connect Core 3.1.2.1). */
  asksAnew: boolean
}

async function continueWith(
  component: Component,
  request: Request,
  { client, accepted, asksAnew }: Accepted,
): Promise<Response> {
  const providerId = chosenProvider(component, accepted)
  if (client.skipConsent && providerId !== undefined) {
    return beginSignIn(component, accepted, { providerId, status: 302 })
  }
  const remembered = asksAnew ? undefined : findConsent(component, request, client, accepted)
  if (remembered) return beginSignIn(component, accepted, { ...remembered, status: 302 })
  return askConsent(component, request, client, accepted)
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
