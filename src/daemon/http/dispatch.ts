import { Readable } from 'node:stream'
import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../shared/errors.ts'
import type { Bindings, Call, Reply, Route } from './endpoint.ts'
import { type ApiContext, matchesPath } from './endpoint.ts'
import { eventStream } from './event-stream.ts'
import { forward } from './forward.ts'
import { readJsonBody } from './middleware/json-body.ts'
import { checkPrecondition, runConditionally } from './middleware/preconditions.ts'
import { requireScope } from './middleware/scope.ts'
import { validate } from './middleware/validation.ts'
import { readQuery } from './query.ts'

/** Checks the scope of a request, and validates it with the schemas of its route. */
export function check(route: Route, closing: AbortSignal): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    requireScope(context, route)
    context.set('call', await readCall(context, route, closing))
    await next()
  }
}

/** Runs the endpoint with the validated request and renders its reply. */
export function dispatch(route: Route): MiddlewareHandler<Bindings> {
  return async context => render(context, route, await runConditionally(route, context.get('call')))
}

/** 404 for an unknown path, 405 with `Allow` for a known one. */
export function refuseUnknown(context: ApiContext, routes: readonly Pick<Route, 'method' | 'path'>[]): never {
  const { method, path } = context.req
  const allowed = routes.filter(route => matchesPath(route, path)).map(route => route.method)
  if (allowed.length === 0)
    throw new HostingError('NOT_FOUND', `There is no ${path}.`, {
      details: '/openapi.json lists all paths.',
    })
  context.header('Allow', allowed.flatMap(name => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', '))
  throw new HostingError('METHOD_NOT_ALLOWED', `${path} does not support ${method}.`, {
    details: `Use ${allowed.join(' or ')}.`,
  })
}

async function readCall(
  context: ApiContext,
  route: Route,
  closing: AbortSignal,
): Promise<Call<unknown, unknown, unknown>> {
  const { endpoint } = route
  const { params } = endpoint
  const query = endpoint.takesAnyQuery ? {} : readQuery(context, endpoint.query)
  const extraScope = endpoint.scopeOfQuery?.(query)
  if (extraScope) requireScope(context, { ...route, access: extraScope })
  const preferences = readPreferences(context)
  const checked = params ? validate(params, context.req.param(), 'path') : {}
  const header = (name: string) => context.req.header(name)
  return {
    params: checked,
    query,
    body: await readBody(context, endpoint),
    bytes: readBytes(context, endpoint),
    principal: context.get('principal'),
    consoleSession: context.get('consoleSession'),
    respondAsync: Boolean(endpoint.takesPrefer) && preferences.has('respond-async'),
    preferences,
    signal: endOf(context, closing),
    header,
    authorization: serverAuthorization(context),
    checkPrecondition: () => checkPrecondition(route, { params: checked, header }),
    lastEventId: context.req.header('last-event-id') || undefined,
    accepts: mediaType => (context.req.header('accept') ?? '').toLowerCase().includes(mediaType),
  }
}

/** `Authorization` header for a server. Undefined if it contains an API key, because the server could use the key. */
function serverAuthorization(context: ApiContext): string | undefined {
  const given = context.req.header('authorization')
  const isApiKey = context.get('credential') === 'authorization' || /^Bearer +mcp_sk_/i.test(given ?? '')
  return isApiKey ? undefined : given
}

/**
 * Signal that ends a request when the client disconnects or the daemon closes. A GET, such as a stream, also ends when its key
 * expires or is revoked, or its browser is signed out. Other requests finish even then.
 */
function endOf(context: ApiContext, closing: AbortSignal): AbortSignal {
  const lifetime = context.req.method === 'GET' ? context.get('lifetime') : undefined
  return AbortSignal.any([context.req.raw.signal, closing, ...(lifetime ? [lifetime] : [])])
}

async function readBody(
  context: ApiContext,
  { body, bodyOptional, rawBody, forwards }: Route['endpoint'],
): Promise<unknown> {
  if (!body || forwards) return undefined
  const input = await readJsonBody(context)
  if (input === undefined && bodyOptional) return undefined
  if (input === undefined)
    throw new HostingError('INVALID_JSON', 'The request has no body.', {
      details: 'Send a JSON object with Content-Type: application/json.',
    })
  return rawBody ? input : validate(body, input, 'request')
}

function readBytes(context: ApiContext, { binary }: Route['endpoint']): AsyncIterable<Uint8Array> {
  if (!binary) return NO_BYTES
  if (Number(context.req.header('content-length') ?? 0) > binary.limitBytes) throw binary.tooLarge()
  return context.req.raw.body ?? NO_BYTES
}

const NO_BYTES: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
}

function readPreferences(context: ApiContext): ReadonlySet<string> {
  const preferences = (context.req.header('prefer') ?? '').split(',')
  return new Set(preferences.map(preference => preference.split(';')[0]!.trim().toLowerCase()))
}

function render(context: ApiContext, route: Route, reply: Reply): Response | Promise<Response> {
  if ('forward' in reply) return forward(context, reply.forward)
  // No client would read or cancel the stream of a HEAD request.
  const isStream = 'events' in reply || 'resumable' in reply
  if (isStream && context.req.method === 'HEAD')
    return context.body(null, 200, { 'Content-Type': 'text/event-stream' })
  if (isStream) {
    setHeaders(context, reply)
    return eventStream(reply, new Headers(context.res.headers))
  }
  if ('file' in reply) {
    const body = context.req.method === 'HEAD' ? discard(reply.file) : Readable.toWeb(reply.file)
    return context.body(body as ReadableStream, 200, { 'Content-Type': reply.type })
  }
  setHeaders(context, reply)
  if (reply.status === 204) return context.body(null, 204)
  if (reply.status === 304) return context.body(null, 304)
  if ('bytes' in reply)
    return context.body(reply.bytes as Uint8Array<ArrayBuffer>, 200, { 'Content-Type': reply.type })
  if (reply.status === 202 && route.endpoint.takesPrefer)
    context.header('Preference-Applied', 'respond-async')
  if (!route.path.startsWith('/v1/')) return context.json(reply.data as object, reply.status)
  const meta = { request_id: context.get('requestId'), timestamp: new Date().toISOString() }
  return context.json({ success: true, data: reply.data, meta }, reply.status)
}

function setHeaders(context: ApiContext, reply: Reply): void {
  const headers = 'headers' in reply ? (reply.headers ?? {}) : {}
  for (const [name, value] of Object.entries(headers)) context.header(name, value)
}

function discard(file: Readable): null {
  file.destroy()
  return null
}
