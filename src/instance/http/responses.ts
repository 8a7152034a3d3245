import { sessionLabel } from '../../shared/instances/session-label.ts'
import { type RequestId, RPC, rpcError } from '../protocol/json-rpc.ts'
import { corsHeaders } from './address-check.ts'
import { header } from './headers.ts'
import type { HttpExchange } from './http-exchange.ts'
import { SseResponse } from './sse-response.ts'

/** Sends JSON text and returns the number of bytes. `headers` is a flat list of names and values. */
export function sendJson(
  exchange: HttpExchange,
  status: number,
  body: string,
  headers?: readonly string[],
): number {
  return sendText(exchange, { status, type: 'application/json', body }, headers)
}

/** Returns the number of bytes, or 0 if a response was already sent or the connection is closed. */
export function sendText(
  { tenant, request, response }: HttpExchange,
  { status, type, body }: { status: number; type: string; body: string },
  headers?: readonly string[],
): number {
  if (response.headersSent || response.destroyed) return 0
  const bytes = Buffer.byteLength(body)
  const all = ['Content-Type', type, 'Content-Length', String(bytes)]
  if (request.headers.origin !== undefined) all.push(...corsHeaders(tenant.config, request))
  if (headers) all.push(...headers)
  // RFC 9112 9.6: the client sends its next request over a new connection, which reaches the next release.
  if (tenant.shouldCloseConnection()) all.push('Connection', 'close')
  response.writeHead(status, all)
  // ASCII text needs no encoding.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
  return bytes
}

export function sendEmpty(exchange: HttpExchange, status: number, headers: readonly string[] = []): void {
  const { tenant, request, response } = exchange
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, [
    ...corsHeaders(tenant.config, request),
    ...headers,
    ...(status === 204 ? [] : ['Content-Length', '0']),
    ...(tenant.closesConnections ? ['Connection', 'close'] : []),
  ])
  response.end()
}

/** Refuses a message with an HTTP status and a JSON-RPC error, as MCP clients expect from a POST. */
export function refuse(
  exchange: HttpExchange,
  status: number,
  error: { code: number; message: string; data?: unknown; id?: RequestId | null },
  headers?: readonly string[],
): void {
  const body = rpcError(error.id ?? null, error.code, error.message, error.data)
  logRefusal(exchange, status, error.message)
  sendJson(exchange, status, body, headers)
}

/** Logs a refused request with facts from its headers, because its body may not have been read. */
export function logRefusal({ tenant, request }: HttpExchange, status: number, reason: string): void {
  const method = header(request, 'mcp-method')
  const session = header(request, 'mcp-session-id')
  tenant.log.refusal(status, reason, {
    method,
    tool: method === 'tools/call' ? header(request, 'mcp-name') : undefined,
    sessionId: session && sessionLabel(session),
  })
}

/** Refuses a request because the tenant has too many open streams. */
export function refuseStream(exchange: HttpExchange, id: RequestId | null = null): void {
  const error = { code: RPC.refused, message: 'Too many open streams. Try again later.', id }
  refuse(exchange, 503, error, ['Retry-After', '5'])
}

/** Starts an event stream as the response. `onClose` is called once, whichever side closes it. */
export function openStream(
  exchange: HttpExchange,
  headers: readonly string[],
  onClose: () => void,
): SseResponse {
  const { tenant, request, response } = exchange
  tenant.openStreams++
  return new SseResponse(response, [...corsHeaders(tenant.config, request), ...headers], () => {
    tenant.openStreams--
    onClose()
  })
}
