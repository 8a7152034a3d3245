import type { Component, Endpoint } from './component.ts'
import type { Connection } from './connection.ts'
import { authorize } from './endpoints/authorize.ts'
import { callback } from './endpoints/callback.ts'
import { consent } from './endpoints/consent.ts'
import { introspect } from './endpoints/introspect.ts'
import { jwks } from './endpoints/jwks.ts'
import { metadata } from './endpoints/metadata.ts'
import { providers } from './endpoints/providers.ts'
import { register } from './endpoints/register.ts'
import { revoke } from './endpoints/revoke.ts'
import { token } from './endpoints/token.ts'
import { errorResponse, privateNetworkHeader } from './http/responses.ts'
import { OAuthError } from './oauth-error.ts'
import { describeReason } from './oauth-event.ts'
import { errorPage } from './pages/error-page.ts'

interface Route {
  method: 'GET' | 'POST'
  endpoint: Endpoint
  /** `browser`: shown to users, with errors as pages. `client`: called by programs, from any origin. */
  audience: 'browser' | 'client'
}

export interface Router {
  has(pathname: string): boolean
  fetch(request: Request, connection: Connection): Promise<Response>
}

/** Routes requests by path. Ignores the Host header. */
export function createRouter(component: Component): Router {
  const routes = routesOf(component)
  return {
    has: pathname => routes.has(pathname),
    fetch: (request, connection) =>
      answer(component, routes.get(new URL(request.url).pathname), request, connection),
  }
}

function routesOf({ endpoints, upstreams }: Component): Map<string, Route> {
  const routes = new Map<string, Route>()
  const add = (
    url: string | undefined,
    method: Route['method'],
    audience: Route['audience'],
    endpoint: Endpoint,
  ) => {
    if (url !== undefined) routes.set(new URL(url).pathname, { method, audience, endpoint })
  }
  add(endpoints.metadata, 'GET', 'client', metadata)
  add(endpoints.authorize, 'GET', 'browser', authorize)
  add(endpoints.consent, 'POST', 'browser', consent)
  add(endpoints.callback, 'GET', 'browser', callback)
  for (const id of upstreams.keys()) add(`${endpoints.callback}/${id}`, 'GET', 'browser', callback)
  add(endpoints.token, 'POST', 'client', token)
  add(endpoints.register, 'POST', 'client', register)
  add(endpoints.revoke, 'POST', 'client', revoke)
  add(endpoints.introspect, 'POST', 'client', introspect)
  add(endpoints.jwks, 'GET', 'client', jwks)
  add(endpoints.providers, 'GET', 'client', providers)
  return routes
}

async function answer(
  component: Component,
  route: Route | undefined,
  request: Request,
  connection: Connection,
): Promise<Response> {
  if (!route)
    return errorResponse(new OAuthError('invalid_request', 'There is no such endpoint.', { status: 404 }))
  if (route.audience === 'client' && request.method === 'OPTIONS') return preflight(route, request)
  const response = await run(component, route, request, connection)
  // For clients in browsers (RFC 9700 2.6). Never for pages, which use the user's cookies.
  if (route.audience === 'client') response.headers.set('Access-Control-Allow-Origin', '*')
  return response
}

async function run(
  component: Component,
  route: Route,
  request: Request,
  connection: Connection,
): Promise<Response> {
  const refuse = route.audience === 'browser' ? errorPage : errorResponse
  // Documents support HEAD (RFC 9110 9.3.2). Pages do not, because they have side effects.
  if (request.method === 'HEAD' && isDocument(route))
    return withoutBody(await run(component, route, new Request(request, { method: 'GET' }), connection))
  if (request.method !== route.method) {
    const headers = { Allow: isDocument(route) ? 'GET, HEAD' : route.method }
    return refuse(
      new OAuthError('invalid_request', `The method must be ${route.method}.`, { status: 405, headers }),
    )
  }
  try {
    return await route.endpoint(component, request, connection)
  } catch (error) {
    if (error instanceof OAuthError) return refuse(error)
    component.log({ type: 'request-failed', message: 'A request failed.', reason: describeReason(error) })
    return refuse(new OAuthError('server_error', 'Internal error. Try again later.'))
  }
}

function isDocument({ method, audience }: Route): boolean {
  return method === 'GET' && audience === 'client'
}

function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers })
}

function preflight({ method }: Route, request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': `${method}, OPTIONS`,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '86400',
      ...privateNetworkHeader(request),
    },
  })
}
