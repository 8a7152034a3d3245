import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import type { Exchange } from '../http/exchange.ts'
import { HOP_BY_HOP, header } from '../http/headers.ts'
import type { ForwardedSession } from './program-sessions.ts'

const SESSION = 'mcp-session-id'

export interface ForwardOptions {
  /** The address that a page came from was checked already, and the upstream knows only its own. */
  dropsOrigin?: boolean
}

/** Of one request. */
export interface ForwardedAs extends ForwardOptions {
  session?: ForwardedSession | undefined
  /** Instead of those of the same names; an empty one is left out. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Sends a request on and its answer back, both as they come: nothing is collected, a client that goes away ends the
 * program's answer, and the other way round. Resolves when the exchange is over, with the fault of a program
 * that did not begin to answer: what to say then is the caller's to decide.
 */
export async function forward(
  exchange: Exchange,
  pool: Pool,
  path: string,
  options: ForwardedAs = {},
): Promise<NodeJS.ErrnoException | undefined> {
  const { request, response } = exchange
  const gone = new AbortController()
  if (response.destroyed) return undefined // while it waited for the program
  response.once('close', () => gone.abort())
  try {
    await pool.stream(
      {
        method: request.method as Dispatcher.HttpMethod,
        path,
        headers: requestHeaders(exchange, options),
        body: hasBody(request) ? bodyOf(request) : null,
        signal: gone.signal,
        // A stream of events may be quiet for hours.
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

/** Flat lists of names and values keep what comes more than once. */
function requestHeaders(
  { request, tenant }: Exchange,
  { dropsOrigin, headers: own = {} }: ForwardedAs,
): string[] {
  const dropped = ['host', 'content-length', ...(dropsOrigin ? ['origin'] : []), ...Object.keys(own)]
  const headers = passed(request.rawHeaders, new Set(dropped))
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
  { tenant, response }: Exchange,
  status: number,
  raw: Buffer[] | string[],
  session: ForwardedSession | undefined,
): void {
  const headers = passed(raw.map(String), new Set())
  const at = session
    ? headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === SESSION)
    : -1
  if (session && at >= 0) headers[at + 1] = session.nameFor(headers[at + 1]!, status)
  if (tenant.endsConnection()) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  response.flushHeaders()
}

function passed(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
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

/** What a `Connection` header names belongs to the connection too. */
function namedByConnection(raw: readonly string[]): Set<string> {
  const named = new Set<string>()
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.toLowerCase() === 'connection')
      for (const name of raw[index + 1]!.split(',')) named.add(name.trim().toLowerCase())
  return named
}

/**
 * Read only once there is a connection, and never destroyed with a try that failed: a request that nobody took can be sent
 * again, and its client can still be told why not.
 */
function bodyOf(request: IncomingMessage): Readable {
  // Its types do not tell that undici takes any iterable (https://github.com/nodejs/undici/blob/main/docs/docs/api/Dispatcher.md).
  return request.iterator({ destroyOnReturn: false }) as unknown as Readable
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
}
