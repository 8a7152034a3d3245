import * as z from 'zod'
import { envelopeOf, errorEnvelopeSchema } from '../../shared/envelope.ts'
import type { ErrorCode } from '../../shared/errors.ts'
import { type AnswerDoc, endpoint, type Route } from './endpoint.ts'
import { SchemaWriter } from './openapi-schemas.ts'
import { scopesOf } from './scope.ts'
import { STATUS_OF } from './status.ts'

type Json = Record<string, unknown>

/** Version of the described interface, not of this package (service interface section 9). */
const CONTRACT_VERSION = '1.0.0'

const RATE_HEADERS = {
  'X-RateLimit-Limit': header('Requests an hour that the plan allows', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this window', 'integer'),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window ends', 'integer'),
}
const REQUEST_ID = { 'X-Request-Id': header('Id of the request, equal to meta.request_id') }

/** `/openapi.json`, made of the routes' own schemas. */
export function openApiEndpoint(routes: () => readonly Route[]) {
  let document: Json | undefined
  return endpoint({
    operationId: 'getOpenApi',
    summary: 'Show this description',
    answers: { 200: { description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) } },
    run() {
      document ??= describeApi(routes())
      return { status: 200, data: document }
    },
  })
}

/** An OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export function describeApi(routes: readonly Route[]): Json {
  const schemas = new SchemaWriter()
  const error = schemas.write(errorEnvelopeSchema, 'output')
  const paths: Record<string, Json> = {}
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, schemas),
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'MCP hosting',
      version: CONTRACT_VERSION,
      description: 'Build, test, deploy and host MCP servers.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API key' } },
      schemas: { Error: error, ...schemas.shared },
    },
  }
}

function describeOperation(route: Route, schemas: SchemaWriter): Json {
  const { endpoint, access } = route
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    tags: [route.path.startsWith('/v1/') ? 'v1' : route.path.startsWith('/api/') ? 'api' : 'daemon'],
    ...(access === 'open' ? { security: [] } : { security: [{ apiKey: [] }] }),
    // One of them is enough.
    ...(scopesOf(access).length > 0 && { 'x-scopes': scopesOf(access) }),
    parameters: describeParameters(route, schemas),
    ...(endpoint.body || endpoint.binary ? { requestBody: describeBody(route, schemas) } : {}),
    responses: { ...describeAnswers(route, schemas), ...describeErrors(route) },
  }
}

function describeParameters({ endpoint }: Route, schemas: SchemaWriter): Json[] {
  const prefer = {
    name: 'Prefer',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: '`respond-async` (RFC 7240) is answered with 202 before the work is over',
  }
  return [
    ...parametersOf(endpoint.params, 'path', schemas),
    ...parametersOf(endpoint.query, 'query', schemas),
    ...(endpoint.takesPrefer ? [prefer] : []),
  ]
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: SchemaWriter): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemas.write(schema, 'input') as {
    properties?: Json
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function describeBody({ endpoint }: Route, schemas: SchemaWriter): Json {
  if (endpoint.binary) {
    const content = endpoint.binary.types.map(type => [
      type,
      { schema: { type: 'string', format: 'binary' } },
    ])
    return { required: false, content: Object.fromEntries(content) }
  }
  const schema = schemas.write(endpoint.body!, 'input')
  return { required: !endpoint.bodyOptional, content: { 'application/json': { schema } } }
}

function describeAnswers(route: Route, schemas: SchemaWriter): Json {
  const entries = Object.entries(route.endpoint.answers) as [string, AnswerDoc][]
  return Object.fromEntries(
    entries.map(([status, answer]) => [status, describeAnswer(route, Number(status), answer, schemas)]),
  )
}

function describeAnswer(route: Route, status: number, answer: AnswerDoc, schemas: SchemaWriter): Json {
  const own = Object.entries(answer.headers ?? {}).map(([name, text]) => [name, header(text)])
  const isAsync = status === 202 && route.endpoint.takesPrefer
  return {
    description: answer.description,
    headers: {
      ...headersFor(route),
      ...Object.fromEntries(own),
      ...(isAsync ? { 'Preference-Applied': header('`respond-async`') } : {}),
    },
    ...(answer.schema ? { content: contentOf(route, answer, schemas) } : {}),
    ...(answer.file ? { content: { [answer.file]: {} } } : {}),
  }
}

function contentOf(route: Route, { schema, events }: AnswerDoc, schemas: SchemaWriter): Json {
  const whole = route.path.startsWith('/v1/') ? envelopeOf(schema!) : schema!
  const stream = events && {
    'text/event-stream': { schema: { type: 'string' }, 'x-event-data': schemas.write(events, 'output') },
  }
  return { 'application/json': { schema: schemas.write(whole, 'output') }, ...stream }
}

/** Codes that any operation of its kind may answer with, and its own. */
function errorsOf({ endpoint, access }: Route): ErrorCode[] {
  const withKey: ErrorCode[] = access === 'open' ? [] : ['UNAUTHORIZED', 'RATE_LIMITED', 'UNAVAILABLE']
  const withScope: ErrorCode[] = scopesOf(access).length > 0 ? ['INSUFFICIENT_SCOPE'] : []
  const withBody: ErrorCode[] = endpoint.body
    ? ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
    : endpoint.binary
      ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
      : []
  const own = endpoint.errors ?? []
  return [
    ...new Set<ErrorCode>([
      'FORBIDDEN',
      ...withKey,
      ...withScope,
      'INVALID_REQUEST',
      ...withBody,
      ...own,
      'INTERNAL',
    ]),
  ]
}

function describeErrors(route: Route): Json {
  const byStatus = Map.groupBy(errorsOf(route), code => STATUS_OF[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, describeError(route, status, codes)]),
  )
}

function describeError(route: Route, status: number, codes: ErrorCode[]): Json {
  const extra: Json = {}
  if (status === 401) extra['WWW-Authenticate'] = header('Bearer challenge (RFC 6750)')
  if (codes.includes('INSUFFICIENT_SCOPE'))
    extra['WWW-Authenticate'] = {
      ...header('Bearer challenge with the scope that is missing (RFC 6750)'),
      required: false,
    }
  if (status === 429) extra['Retry-After'] = header('Seconds to wait', 'integer')
  // Before the key is known there is nothing to count; a fault may come before, or after.
  const uncounted = status === 401 || status === 403
  const headers = uncounted ? REQUEST_ID : status >= 500 ? optional(headersFor(route)) : headersFor(route)
  return {
    description: codes.join(', '),
    headers: { ...headers, ...extra },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function headersFor({ access }: Route): Json {
  return access === 'open' ? REQUEST_ID : { ...REQUEST_ID, ...RATE_HEADERS }
}

function optional(headers: Json): Json {
  const loosened = Object.entries(headers).map(([name, header]) => [
    name,
    { ...(header as Json), required: false },
  ])
  return { ...Object.fromEntries(loosened), ...REQUEST_ID }
}

function header(description: string, type = 'string'): Json {
  return { description, required: true, schema: { type } }
}
