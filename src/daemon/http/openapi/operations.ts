import type * as z from 'zod'
import { type Route, takesIdempotencyKey } from '../endpoint.ts'
import { scopesOf } from '../middleware/scope.ts'
import { describeRequestHeaders, type RequestHeaderName } from './request-headers.ts'
import type { ResponseWriter } from './responses.ts'
import type { SchemaWriter } from './schema-writer.ts'

type Json = Record<string, unknown>

export function describeOperation(route: Route, schemas: SchemaWriter, responses: ResponseWriter): Json {
  const { endpoint, access } = route
  const parameters = describeParameters(route, schemas)
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    tags: [route.path.startsWith('/v1/') ? 'v1' : route.path.startsWith('/api/') ? 'api' : 'daemon'],
    ...(access === 'open' && { security: [] }),
    ...(scopesOf(access).length > 0 && { 'x-scopes': scopesOf(access) }),
    ...(parameters.length > 0 && { parameters }),
    ...((endpoint.body || endpoint.binary) && { requestBody: describeBody(route, schemas) }),
    responses: responses.describe(route),
  }
}

function describeParameters(route: Route, schemas: SchemaWriter): Json[] {
  const { endpoint } = route
  return [
    ...parametersOf(endpoint.params, 'path', schemas),
    ...parametersOf(endpoint.query, 'query', schemas),
    ...describeRequestHeaders(requestHeadersOf(route)),
  ]
}

function requestHeadersOf(route: Route): RequestHeaderName[] {
  const { method, endpoint } = route
  return [
    ...(endpoint.forwards ? (['X-Api-Key'] as const) : []),
    ...(takesIdempotencyKey(route) ? (['Idempotency-Key'] as const) : []),
    ...(endpoint.record && method !== 'GET' ? (['If-Match'] as const) : []),
    ...(endpoint.record && (method === 'GET' || method === 'PUT') ? (['If-None-Match'] as const) : []),
    ...(endpoint.takesPrefer ? (['Prefer'] as const) : []),
    ...(endpoint.answers[200]?.resumable ? (['Last-Event-ID'] as const) : []),
  ]
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: SchemaWriter): Json[] {
  if (!schema) return []
  const { properties, required } = schemas.writeFields(schema)
  return Object.entries(properties).map(([name, { description, examples, ...property }]) => ({
    name,
    in: place,
    ...(description !== undefined && { description }),
    required: place === 'path' || required.includes(name),
    schema: property,
    ...(examples !== undefined && { example: (examples as unknown[])[0] }),
  }))
}

function describeBody({ endpoint }: Route, schemas: SchemaWriter): Json {
  if (endpoint.binary) {
    const content = endpoint.binary.types.map(type => [
      type,
      { schema: { type: 'string', format: 'binary' } },
    ])
    return { description: 'The archive.', required: false, content: Object.fromEntries(content) }
  }
  const schema = schemas.write(endpoint.body!, 'input')
  return { required: !endpoint.bodyOptional, content: { 'application/json': { schema } } }
}
