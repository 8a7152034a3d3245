import type { Readable } from 'node:stream'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Scope } from '../../shared/contract/access/scopes.ts'
import type { ErrorCode, HostingError } from '../../shared/errors.ts'
import type { Principal } from '../services/access/api-keys.ts'
import type { ConsoleSession } from '../services/access/console-sessions.ts'
import type { HeaderName } from './openapi/headers.ts'

/** Values that middleware passes to endpoints. */
interface Variables {
  requestId: string
  principal: Principal
  /** Aborts when the key is revoked or expires, or the console session ends. Unset if the route needs no key. */
  lifetime?: AbortSignal
  /** Header with the credential of the request. */
  credential: CredentialHeader
  /** Set when the cookie of the console authenticated the request. */
  consoleSession?: ConsoleSession
  /** SHA-256 of the JSON body. Set for requests with an `Idempotency-Key`. */
  bodyDigest?: string
  call: Call<unknown, unknown, unknown>
}

/** With `X-Api-Key` or the console's cookie, `Authorization` is free for the server that a request is forwarded to. */
export type CredentialHeader = 'authorization' | 'x-api-key' | 'cookie'

export interface Bindings {
  Variables: Variables
}

/** A validated request. */
export interface Call<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** The body of a `binary` endpoint. Empty for others. */
  bytes: AsyncIterable<Uint8Array>
  principal: Principal
  /** Undefined for a request with an API key. */
  consoleSession: ConsoleSession | undefined
  /** True when the client wants a response before the work is done (RFC 7240 `respond-async`). */
  respondAsync: boolean
  /** Names in the `Prefer` header (RFC 7240), lower case. */
  preferences: ReadonlySet<string>
  /** Aborts when the client disconnects or the daemon closes. For a GET, also when the key or console session ends. */
  signal: AbortSignal
  accepts(mediaType: string): boolean
  header(name: string): string | undefined
  /** The `Authorization` header, unless it contains an API key. */
  authorization: string | undefined
  /**
   * Throws PRECONDITION_FAILED if the record is not the one that `If-Match` or `If-None-Match` expects. Called before `run`,
   * except for a GET. An endpoint that awaits something before it writes calls it again in its transaction.
   */
  checkPrecondition(): void
  /** Id of the last event that the client received (`Last-Event-ID`). */
  lastEventId: string | undefined
}

interface ResumableEvent {
  /** Must be one line. Undefined for an event after which a stream cannot continue. */
  id: string | undefined
  data: unknown
}

export type Reply =
  /** `data` is wrapped in an envelope under /v1. The ETag is computed from `record`, by default from `data`. */
  | { status: 200 | 201 | 202; data: unknown; headers?: Record<string, string>; record?: object }
  | { status: 204; headers?: Record<string, string> }
  | { status: 200 | 201; events: AsyncIterable<unknown>; headers?: Record<string, string> }
  /** After an interruption, the client continues after the last event that it received. */
  | { status: 200; resumable: AsyncIterable<ResumableEvent> }
  | { status: 200; file: Readable; type: string }
  | { status: 200; bytes: Uint8Array; type: string; headers?: Record<string, string> }
  /** Forwards the request to `url` with this `Authorization`. */
  | { status: 200; forward: { url: string; authorization: string | undefined; signal: AbortSignal } }
  | { status: 304; headers: Record<string, string> }

/** OpenAPI description of one possible response. */
export interface AnswerDoc {
  description: string
  /** Schema of `data` under /v1, or of the whole body elsewhere. None for a response without a body. */
  schema?: z.ZodType
  /** Media type of a file response. */
  file?: string
  /** Schema of events, if the endpoint also answers with server-sent events. */
  events?: z.ZodType
  /** The stream continues after `Last-Event-ID`. */
  resumable?: boolean
  /** Media type of a text response. */
  text?: string
  headers?: readonly HeaderName[]
}

/** One operation of the API. Its schemas are used for validation and for the OpenAPI description. */
export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  operationId: string
  summary: string
  params?: P
  query?: Q
  /** Schema of the JSON body. `bodyOptional` allows requests without one. */
  body?: B
  bodyOptional?: boolean
  /** True when the endpoint validates the body itself. The schema only describes it. */
  rawBody?: boolean
  /** True when request and answer are forwarded to a server. The schemas only describe them. */
  forwards?: boolean
  /** The body is a stream of bytes instead of JSON. */
  binary?: { types: readonly string[]; limitBytes: number; tooLarge(): HostingError }
  takesPrefer?: boolean
  /**
   * The one record that the request is about, as its GET shows it. Makes the endpoint send its ETag and check `If-Match` and
   * `If-None-Match`. Throws NOT_FOUND when there is none, or returns undefined if a PUT creates it.
   */
  record?(params: z.output<P>): object | undefined
  /** The path need not name an existing record, so there is no NOT_FOUND. */
  acceptsUnknownIds?: boolean
  /** Unknown query parameters are ignored. */
  takesAnyQuery?: boolean
  /** Requests with a key do not count towards its limit. */
  isUncounted?: boolean
  /** Additional scope that only some queries need. */
  scopeOfQuery?(query: z.output<Q>): Scope | undefined
  answers: Partial<Record<200 | 201 | 202 | 204 | 304, AnswerDoc>>
  /** Error codes in addition to those that every operation, or every operation with `params`, may answer with. */
  errors?: ErrorCode[]
  run(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Reply> | Reply
}

/** Infers the types of `run` from the schemas, and erases them for the table of routes. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: Endpoint<P, Q, B>,
): Endpoint {
  return definition as unknown as Endpoint
}

/** An endpoint with one answer. `run` returns its data, or nothing for 204. */
export function dataEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: Omit<Endpoint<P, Q, B>, 'run'> & {
    run(call: Call<z.output<P>, z.output<Q>, z.output<B>>): unknown
  },
): Endpoint {
  const status = Number(Object.keys(definition.answers)[0]) as 200 | 201 | 202 | 204
  return endpoint({
    ...definition,
    async run(call) {
      const data = await definition.run(call)
      return status === 204 ? { status } : { status, data }
    },
  })
}

/** `open` needs no key, and `any` accepts any key, even an expired one. Otherwise the key needs one of the scopes. */
export type Access = Scope | readonly Scope[] | 'open' | 'any'

/** Keys that may start work can also poll its status. */
export const STATUS_READERS = ['READ', 'BUILD_AND_DEPLOY'] as const satisfies readonly Scope[]

export interface Route {
  method: string
  /** In the syntax of OpenAPI: `/v1/build/{mcp_id}`. */
  path: string
  access: Access
  endpoint: Endpoint
}

export type ApiContext = Context<Bindings>

/** `['POST /v1/build', 'BUILD_AND_DEPLOY', createBuild]` → route. */
export function toRoute([line, access, endpoint]: readonly [string, Access, Endpoint]): Route {
  const [method, path] = line.split(' ') as [string, string]
  return { method, path, access, endpoint }
}

/** Servers know nothing of idempotency keys, so the answers to forwarded requests are not kept. */
export function takesIdempotencyKey({ method, endpoint }: Route): boolean {
  return method === 'POST' && !endpoint.forwards
}

/** Matches a request path against a route's path. */
export function matchesPath(route: Pick<Route, 'path'>, path: string): boolean {
  const expected = route.path.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  )
}
