import type { Readable } from 'node:stream'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { ErrorCode, HostingError } from '../../shared/errors.ts'
import type { Scope } from '../../shared/scopes.ts'
import type { Principal } from '../services/api-keys.ts'
import type { HeaderName } from './openapi/headers.ts'

/** What the middleware leaves for the endpoints. */
export interface Variables {
  requestId: string
  principal: Principal
  /** SHA-256 of the JSON body. Only of requests with an `Idempotency-Key`. */
  bodyDigest?: string
  /** The checked request. */
  call: Call<unknown, unknown, unknown>
}

export interface Bindings {
  Variables: Variables
}

/** A checked request. */
export interface Call<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** The body of a `binary` endpoint; empty elsewhere. */
  bytes: AsyncIterable<Uint8Array>
  principal: Principal
  /** The client wants to be answered before the work is over (RFC 7240 `respond-async`). */
  respondAsync: boolean
  /** Aborts when the client goes away or the daemon ends. */
  signal: AbortSignal
  accepts(mediaType: string): boolean
  header(name: string): string | undefined
  /**
   * Throws PRECONDITION_FAILED if the record is not the one that `If-Match` or `If-None-Match` expects. It is checked
   * before `run`. An endpoint that waits before it writes checks it again in its transaction.
   */
  checkPrecondition(): void
  /** Where an event stream broke off, as its last event said (`Last-Event-ID`). */
  lastEventId: string | undefined
}

export interface ResumableEvent {
  /** One line; undefined where nobody can go on. */
  id: string | undefined
  data: unknown
}

export type Reply =
  /** Put into the envelope under /v1, sent as it is elsewhere. `record`: what the ETag stands for, `data` by default. */
  | { status: 200 | 201 | 202; data: unknown; headers?: Record<string, string>; record?: object }
  | { status: 204 }
  | { status: 200; events: AsyncIterable<unknown> }
  /** A client whose stream breaks off goes on after the last one it got. */
  | { status: 200; resumable: AsyncIterable<ResumableEvent> }
  | { status: 200; file: Readable; type: string }
  | { status: 200; bytes: Uint8Array; type: string; headers?: Record<string, string> }
  | { status: 304; headers: Record<string, string> }

/** One possible answer as the OpenAPI description lists it. */
export interface AnswerDoc {
  description: string
  /** Of `data` under /v1, of the whole body elsewhere; none: no body. */
  schema?: z.ZodType
  /** Media type of an answer that is a file. */
  file?: string
  /** Also answered as a stream of server-sent events with one JSON document each. */
  events?: z.ZodType
  /** The stream continues after `Last-Event-ID`. */
  resumable?: boolean
  /** Media type of an answer that is text. */
  text?: string
  headers?: readonly HeaderName[]
}

/** One operation: what it takes, what it answers, what it does. Validation and description come from the same schemas. */
export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  operationId: string
  summary: string
  params?: P
  query?: Q
  /** A JSON body; `bodyOptional` allows none. */
  body?: B
  bodyOptional?: boolean
  /** The endpoint checks the body itself; the schema only describes it. */
  rawBody?: boolean
  /** A body of bytes instead of JSON: `run` gets it as it streams. */
  binary?: { types: readonly string[]; limitBytes: number; tooLarge(): HostingError }
  takesPrefer?: boolean
  /**
   * The one record that the request is about, as its GET shows it. Makes the endpoint send its ETag and check `If-Match`
   * and `If-None-Match`. Undefined or NOT_FOUND without one; a PUT that creates it returns undefined.
   */
  record?(params: z.output<P>): object | undefined
  /** Unknown query parameters are ignored. */
  takesAnyQuery?: boolean
  /** Requests with a key do not count for its limit. */
  isUncounted?: boolean
  /** A scope that only some queries need, in addition to the route's. */
  scopeOfQuery?(query: z.output<Q>): Scope | undefined
  answers: Partial<Record<200 | 201 | 202 | 204 | 304, AnswerDoc>>
  /** Codes besides those that every operation may answer with. */
  errors?: ErrorCode[]
  run(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Reply> | Reply
}

/** Keeps the schemas' types for `run` and forgets them for the table of routes. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: Endpoint<P, Q, B>,
): Endpoint {
  return definition as unknown as Endpoint
}

/** `open`: no key. `any`: any key, an expired one too. Otherwise a key with the scope, or with one of several. */
export type Access = Scope | readonly Scope[] | 'open' | 'any'

/** Also for a key that may start work: it must be able to poll what it started. */
export const STATUS_READERS = ['READ', 'BUILD_AND_DEPLOY'] as const satisfies readonly Scope[]

export interface Route {
  method: string
  /** As OpenAPI writes it: `/v1/build/{mcp_id}`. */
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

/** Matches a request path against a route's path. */
export function matchesPath(route: Pick<Route, 'path'>, path: string): boolean {
  const expected = route.path.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  )
}
