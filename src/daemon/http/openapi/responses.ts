import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '../../../shared/errors.ts'
import { type AnswerDoc, type Endpoint, type Route, takesIdempotencyKey } from '../endpoint.ts'
import { isKept } from '../middleware/idempotency.ts'
import { scopesOf } from '../middleware/scope.ts'
import { STATUS_OF } from '../status.ts'
import { describeHeaders, type HeaderName } from './headers.ts'
import type { SchemaWriter } from './schema-writer.ts'

type Json = Record<string, unknown>

const NOT_MODIFIED: AnswerDoc = { description: 'The client has the current record.', headers: ['ETag'] }

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

const ERROR_CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/out:Error' } } }

/** Writes the responses of operations. Errors and answers without content are shared: `components.responses`. */
export class ResponseWriter {
  readonly shared: Record<string, Json> = {}
  readonly #schemas: SchemaWriter

  constructor(schemas: SchemaWriter) {
    this.#schemas = schemas
  }

  describe(route: Route): Json {
    const answers = Object.entries(answersOf(route)) as [string, AnswerDoc][]
    const byStatus = Map.groupBy(errorsOf(route), code => STATUS_OF[code])
    return {
      ...Object.fromEntries(
        answers.map(([status, answer]) => [status, this.#describeAnswer(route, Number(status), answer)]),
      ),
      ...Object.fromEntries(
        [...byStatus].map(([status, codes]) => [status, this.#referToError(route, status, codes)]),
      ),
    }
  }

  #describeAnswer(route: Route, status: number, answer: AnswerDoc): Json {
    const isAsync = status === 202 && route.endpoint.takesPrefer
    const own = answer.headers ?? []
    const content = this.#contentOf(route, answer)
    const response = {
      description: answer.description,
      headers: describeHeaders(
        [
          ...headersFor(route),
          ...own,
          ...(route.endpoint.record && answer.schema ? ['ETag' as const] : []),
          ...(isAsync ? ['Preference-Applied' as const] : []),
        ],
        takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : [],
      ),
      ...(content && { content }),
    }
    return content ? response : this.#share(route, status, response)
  }

  #share(route: Route, status: number, response: Json): Json {
    const name = `Empty${status}${isCounted(route) ? '' : 'Uncounted'}`
    this.shared[name] ??= response
    return isDeepStrictEqual(this.shared[name], response)
      ? { $ref: `#/components/responses/${name}` }
      : response
  }

  #contentOf(route: Route, { schema, events, file, text }: AnswerDoc): Json | undefined {
    if (file) return { [file]: { schema: { type: 'string', format: 'binary' } } }
    if (text) return { [text]: { schema: { type: 'string' } } }
    if (!schema && !events) return undefined
    const isWrapped = route.path.startsWith('/v1/')
    return {
      ...(schema && {
        'application/json': {
          schema: isWrapped ? this.#schemas.writeEnvelope(schema) : this.#schemas.write(schema, 'output'),
        },
      }),
      ...(events && {
        'text/event-stream': {
          schema: {
            type: 'string',
            description: 'Server-sent events with JSON data as in `x-event-data`.',
          },
          'x-event-data': this.#schemas.write(events, 'output'),
        },
      }),
    }
  }

  #referToError(route: Route, status: number, codes: ErrorCode[]): Json {
    // Requests are counted after authentication. Internal errors may occur before or after that.
    const isUncounted = status === 401 || status === 403 || !isCounted(route)
    const own: HeaderName[] = status === 401 ? ['WWW-Authenticate'] : status === 429 ? ['Retry-After'] : []
    const counts = isUncounted ? [] : RATE_HEADERS
    const name = `${codes.map(toPascalCase).join('Or')}${isUncounted && status !== 401 && status !== 403 ? 'Uncounted' : ''}`
    this.shared[name] ??= {
      description: `${codes.map(code => `\`${code}\``).join(' or ')}.`,
      headers:
        status >= 500
          ? describeHeaders(['X-Request-Id'], counts)
          : describeHeaders(['X-Request-Id', ...counts, ...own], optionalHeaders(status, codes)),
      content: ERROR_CONTENT,
    }
    return { $ref: `#/components/responses/${name}` }
  }
}

/** Adds 304 for records. */
function answersOf({ method, endpoint }: Route): Endpoint['answers'] {
  const { answers, record } = endpoint
  return record && method === 'GET' ? { ...answers, 304: NOT_MODIFIED } : answers
}

/** Headers that only some responses have. Any POST may replay an answer that is kept. */
function optionalHeaders(status: number, codes: ErrorCode[]): HeaderName[] {
  if (codes.includes('INSUFFICIENT_SCOPE')) return ['WWW-Authenticate']
  if (!isKept(status)) return []
  return codes.includes('CONFLICT') ? ['Retry-After', 'Idempotent-Replayed'] : ['Idempotent-Replayed']
}

function isCounted({ access, endpoint }: Route): boolean {
  return access !== 'open' && !endpoint.isUncounted
}

function headersFor(route: Route): HeaderName[] {
  return isCounted(route) ? ['X-Request-Id', ...RATE_HEADERS] : ['X-Request-Id']
}

/** Error codes that the operation declares, and those that all operations of its kind share. */
function errorsOf(route: Route): ErrorCode[] {
  const { endpoint, access } = route
  const withKey: ErrorCode[] = access === 'open' ? [] : ['UNAUTHORIZED', 'UNAVAILABLE']
  const withLimit: ErrorCode[] = isCounted(route) ? ['RATE_LIMITED'] : []
  const withScope: ErrorCode[] = scopesOf(access).length > 0 ? ['INSUFFICIENT_SCOPE'] : []
  const withInput: ErrorCode[] = endpoint.takesAnyQuery ? [] : ['INVALID_REQUEST']
  const withBody: ErrorCode[] =
    endpoint.body && !endpoint.forwards
      ? ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
      : endpoint.binary
        ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
        : []
  const withParams: ErrorCode[] = endpoint.params && !endpoint.acceptsUnknownIds ? ['NOT_FOUND'] : []
  const withRecord: ErrorCode[] = endpoint.record && route.method !== 'GET' ? ['PRECONDITION_FAILED'] : []
  const withIdempotency: ErrorCode[] = takesIdempotencyKey(route) ? ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] : []
  const own = endpoint.errors ?? []
  return [
    ...new Set<ErrorCode>([
      'FORBIDDEN',
      ...withKey,
      ...withLimit,
      ...withScope,
      ...withInput,
      ...withBody,
      ...withParams,
      ...withRecord,
      ...withIdempotency,
      ...own,
      'INTERNAL',
    ]),
  ].toSorted()
}

/** `NOT_FOUND` → `NotFound`. */
function toPascalCase(code: string): string {
  return code
    .split('_')
    .map(word => word[0] + word.slice(1).toLowerCase())
    .join('')
}
