import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../prepared-server.ts'
import { type RequestId, rpcError } from '../protocol/json-rpc.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { corsHeaders } from './address-check.ts'
import { SseResponse } from './sse-response.ts'

/** One HTTP request with its answer, at the tenant whose connection it came over. */
export interface Exchange {
  tenant: ServedTenant
  request: IncomingMessage
  response: ServerResponse
  /** Who sends it, where the tenant takes requests with a token only. */
  caller?: Caller
}

/** Sends a JSON text. `headers`: a flat list of names and values. */
export function sendJson(
  { tenant, request, response }: Exchange,
  status: number,
  body: string,
  headers?: readonly string[],
): void {
  if (response.headersSent || response.destroyed) return
  const bytes = Buffer.byteLength(body)
  const all = ['Content-Type', 'application/json', 'Content-Length', String(bytes)]
  if (request.headers.origin !== undefined) all.push(...corsHeaders(tenant.config, request))
  if (headers) all.push(...headers)
  // RFC 9112 9.6: the client sends its next request over a new connection, which reaches the next release.
  if (tenant.endsConnection()) all.push('Connection', 'close')
  response.writeHead(status, all)
  // Text that is ASCII throughout need not be encoded.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

export function sendEmpty(exchange: Exchange, status: number, headers: readonly string[] = []): void {
  const { tenant, request, response } = exchange
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, [
    ...corsHeaders(tenant.config, request),
    ...headers,
    ...(status === 204 ? [] : ['Content-Length', '0']),
    ...(tenant.isLeaving ? ['Connection', 'close'] : []),
  ])
  response.end()
}

/** Refuses a message with an HTTP status and a JSON-RPC error, as every MCP client expects it of a POST. */
export function refuse(
  exchange: Exchange,
  status: number,
  error: { code: number; message: string; data?: unknown; id?: RequestId | null },
  headers?: readonly string[],
): void {
  const body = rpcError(error.id ?? null, error.code, error.message, error.data)
  exchange.tenant.log.refusal(status, error.message)
  sendJson(exchange, status, body, headers)
}

/** Opens the answer as a stream of events. `onClose` is called once, whoever ended it. */
export function openStream(exchange: Exchange, headers: readonly string[], onClose: () => void): SseResponse {
  const { tenant, request, response } = exchange
  tenant.openStreams++
  return new SseResponse(response, [...corsHeaders(tenant.config, request), ...headers], () => {
    tenant.openStreams--
    onClose()
  })
}
