import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import { isOwnOrigin, withCorsHeaders } from '../http/address-check.ts'
import { hostOf } from '../http/connection.ts'
import { HOP_BY_HOP, header } from '../http/headers.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { ForwardedSession } from './program-sessions.ts'

const SESSION = 'mcp-session-id'

export interface ForwardOptions {
  /** Drops the `Origin` header, which was already checked. The upstream accepts only its own origin. */
  dropsOrigin?: boolean
}

export interface ForwardRequestOptions extends ForwardOptions {
  session?: ForwardedSession | undefined
  /** Replaces headers of the same names. An empty value removes the header. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Forwards a request and streams the answer back. If either side closes, so does the other. Resolves when the exchange is over,
 * with an error if the program did not start its response. The caller then decides how to respond.
 */
export async function forward(
  exchange: HttpExchange,
  pool: Pool,
  path: string,
  options: ForwardRequestOptions = {},
): Promise<NodeJS.ErrnoException | undefined> {
  const { request, response } = exchange
  const gone = new AbortController()
  if (response.destroyed) return undefined // the client disconnected while the program started
  response.once('close', () => gone.abort())
  try {
    await pool.stream(
      {
        method: request.method as Dispatcher.HttpMethod,
        path,
        headers: requestHeaders(exchange, options),
        body: hasBody(request) ? bodyOf(request) : null,
        signal: gone.signal,
        // An event stream may be quiet for hours.
        headersTimeout: 0,
        bodyTimeout: 0,
        responseHeaders: 'raw',
      },
      ({ statusCode, headers }) => {
        begin(exchange, statusCode, headers as unknown as Buffer[] | string[], options.session)
        return response
      },
    )
  } catch (error) {
    if (gone.signal.aborted) return undefined
    if (!response.headersSent) return error as NodeJS.ErrnoException
    response.destroy()
  }
  return undefined
}

/** Headers of the forwarded request, as a flat list, which keeps repeated headers. */
function requestHeaders(
  { request, tenant }: HttpExchange,
  { dropsOrigin, headers: own = {} }: ForwardRequestOptions,
): string[] {
  const { origin } = request.headers
  const isForeign = origin !== undefined && !isOwnOrigin(tenant.config, origin, hostOf(request.socket))
  const dropped = [
    'host',
    'content-length',
    ...(dropsOrigin || isForeign ? ['origin'] : []),
    ...Object.keys(own),
  ]
  const headers = passedHeaders(request.rawHeaders, new Set(dropped))
  const length = header(request, 'content-length')
  if (length !== undefined) headers.push('content-length', length)
  for (const [name, value] of Object.entries(own)) if (value !== '') headers.push(name, value)
  headers.push(
    'X-Forwarded-For',
    [header(request, 'x-forwarded-for'), request.socket.remoteAddress ?? '127.0.0.1']
      .filter(Boolean)
      .join(', '),
    'X-Forwarded-Host',
    header(request, 'host') ?? new URL(tenant.config.url).host,
    'X-Forwarded-Proto',
    'http',
  )
  return headers
}

function begin(
  { tenant, request, response }: HttpExchange,
  status: number,
  raw: Buffer[] | string[],
  session: ForwardedSession | undefined,
): void {
  const headers = withCorsHeaders(tenant.config, request, passedHeaders(raw.map(String), new Set()))
  const at = session
    ? headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === SESSION)
    : -1
  if (session && at >= 0) headers[at + 1] = session.nameFor(headers[at + 1]!, status)
  if (tenant.shouldCloseConnection()) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  response.flushHeaders()
}

function passedHeaders(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
  const named = namedByConnection(raw)
  const kept: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    const isOurs = name === 'x-forwarded-for' || name === 'x-forwarded-host' || name === 'x-forwarded-proto'
    if (HOP_BY_HOP.has(name) || dropped.has(name) || named.has(name) || isOurs) continue
    kept.push(raw[index]!, raw[index + 1]!)
  }
  return kept
}

/** Headers named by `Connection`, which must not be forwarded either. */
function namedByConnection(raw: readonly string[]): Set<string> {
  const named = new Set<string>()
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.toLowerCase() === 'connection')
      for (const name of raw[index + 1]!.split(',')) named.add(name.trim().toLowerCase())
  return named
}

/**
 * Reads the body only after connecting, and does not destroy it when an attempt fails. The request can then be sent again, and
 * its client can still get an error.
 */
function bodyOf(request: IncomingMessage): Readable {
  // undici accepts any iterable, but its types do not (https://github.com/nodejs/undici/blob/main/docs/docs/api/Dispatcher.md).
  return request.iterator({ destroyOnReturn: false }) as unknown as Readable
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
}
