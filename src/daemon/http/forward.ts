import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { HostingError } from '../../shared/errors.ts'
import type { ApiContext, Reply } from './endpoint.ts'

type Forward = Extract<Reply, { forward: unknown }>['forward']

/**
 * Request headers that are not forwarded: those of the connection (RFC 9110 7.6.1), the API or the page. The API has already
 * checked `Origin`, which the server would not recognize.
 */
const OWN_REQUEST_HEADERS =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|origin|referer|cookie|authorization|x-api-key|proxy-.*|sec-.*)$/

/**
 * Response headers that are passed on. Because the answer has the origin of the API, other headers could set cookies, redirect
 * the page, or clear its data.
 */
const SERVER_RESPONSE_HEADERS =
  /^(mcp-.*|content-type|content-length|content-encoding|cache-control|retry-after|allow|www-authenticate|x-accel-buffering)$/

/** Types that MCP uses. A browser could run code in other types. */
const SERVER_TYPES = /^(application\/json|text\/event-stream|text\/plain)\s*(;[^,]*)?$/i

/** Challenges that make a browser ask for a password, as if the API needed one. */
const PROMPTING = /\b(basic|digest|negotiate|ntlm)\b/i

/**
 * Forwards the request to a server and the answer to the client, both as streams, until the signal aborts. Throws UNAVAILABLE if
 * the server does not answer.
 */
export async function forward(context: ApiContext, to: Forward): Promise<Response> {
  const { url, authorization, signal } = to
  const { method, body } = context.req.raw
  const headers = requestHeaders(context, authorization)
  // Without an agent, requests never share a connection, so that the length of one body cannot cut off the next request.
  const upstream = request(url, { method, headers, agent: false, signal })
  const answer = answerOf(upstream, signal)
  if (body) send(Readable.fromWeb(body as NodeReadableStream), upstream)
  else upstream.end()
  const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse }
  const chunks = chunksOf(await answer, { signal, breakOff: () => void outgoing?.destroy() })
  return toResponse(await answer, ReadableStream.from(chunks), context.res.headers)
}

/** `breakOff`: closes the connection, so that the client does not mistake part of the answer for all of it. */
async function* chunksOf(
  answer: IncomingMessage,
  { signal, breakOff }: { signal: AbortSignal; breakOff(): void },
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer
  } catch {
    if (!signal.aborted) breakOff()
  }
}

/** Keeps the client's connection when the server closes its own, because the client still receives an answer. */
function send(body: Readable, upstream: ClientRequest): void {
  body.once('error', error => upstream.destroy(error)) // the client disconnected
  body.pipe(upstream)
}

function answerOf(upstream: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: Error) => reject(noAnswer(signal, cause))
    upstream.once('response', resolve)
    // Has no effect after the response has begun. The answer then emits the error as well.
    upstream.on('error', fail)
    // There is no error when the server switches to another protocol.
    upstream.once('close', () => fail())
  })
}

function noAnswer(signal: AbortSignal, cause: Error | undefined): HostingError {
  return signal.aborted
    ? new HostingError('CANCELLED', 'The client or the daemon ended the request.')
    : new HostingError('UNAVAILABLE', 'The server closed the connection without an answer.', { cause })
}

function requestHeaders(context: ApiContext, authorization: string | undefined): Record<string, string> {
  const { body } = context.req.raw
  const forwarded = Object.entries(context.req.header()).filter(
    // Hono drops the body of a GET. The server would wait for it.
    ([name]) => !OWN_REQUEST_HEADERS.test(name) && (body || name !== 'content-length'),
  )
  return {
    ...Object.fromEntries(forwarded),
    ...(authorization !== undefined && { authorization }),
    // With `close`, a server may close the connection before it has read a body that it rejects. The answer would be lost.
    connection: 'keep-alive',
  }
}

/** `own`: headers of the API. */
function toResponse(answer: IncomingMessage, body: ReadableStream, own: Headers): Response {
  const headers = new Headers(own)
  for (const [name, value] of Object.entries(answer.headersDistinct))
    if (SERVER_RESPONSE_HEADERS.test(name)) headers.set(name, value!.join(', '))
  if (!SERVER_TYPES.test(headers.get('content-type') ?? 'text/plain'))
    headers.set('Content-Type', 'application/octet-stream')
  if (PROMPTING.test(headers.get('www-authenticate') ?? '')) headers.delete('WWW-Authenticate')
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Content-Security-Policy', "default-src 'none'; sandbox")
  const status = answer.statusCode!
  if (hasBody(status)) return new Response(body, { status, headers })
  answer.resume()
  // A response without a body must have no length. Otherwise the client would read the next response as its body.
  headers.delete('Content-Length')
  return new Response(null, { status, headers })
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304
}
