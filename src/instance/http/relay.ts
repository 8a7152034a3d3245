import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { hasNetworkNamespace } from '../network/network-namespace.ts'
import { connectOwn } from '../network/own-connect.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { withCorsHeaders } from './address-check.ts'
import { hostOf } from './connection.ts'
import { HOP_BY_HOP } from './headers.ts'
import type { HttpExchange } from './http-exchange.ts'
import { isOriginalUrlHeader, originalUrlHeaders } from './original-url.ts'
import { refuse } from './responses.ts'

// Captured at start because user code may replace them. Not imported, because that would take memory (see http-server.ts).
const http = process.getBuiltinModule('node:http')
const net = process.getBuiltinModule('node:net')

/**
 * Relays a request on an old connection to the instance that serves the tenant's address now, so that no client gets an answer
 * from a replaced server, or a question whose answer would go elsewhere. The answer closes the connection, and the client's next
 * one reaches the new instance directly. `body`: text that was already read from the request.
 */
export function relayToSuccessor(exchange: HttpExchange, body?: string): void {
  const { peers, config } = exchange.tenant
  const port = Number(new URL(config.url).port)
  const onUnreachable = () => answerUnreachable(exchange)
  const pass = (socket: Socket) =>
    relay(exchange, socket, onUnreachable, { added: ['Connection', 'close'], body })
  if (hasNetworkNamespace) peers.connect(port).then(pass, onUnreachable)
  else pass(connectOwn(new net.Socket(), { port, host: '127.0.0.1' }))
}

interface RelayOptions {
  added?: readonly string[]
  body?: string | undefined
  onAnswer?: ((status: number) => void) | undefined
}

/**
 * Sends the request over `socket` and returns the response to the client. `added`: extra response headers. `body`: text that was
 * already read from the request. `onAnswer` receives the response's status.
 */
export function relay(
  exchange: HttpExchange,
  socket: Socket,
  onUnreachable: () => void,
  { added = [], body, onAnswer }: RelayOptions = {},
): void {
  const { request, response } = exchange
  // The client disconnected during a wake-up or handshake. A stream opened for it now would never end.
  if (response.destroyed) return void socket.destroy()
  const headers = withAddressOf(exchange, forwardedHeaders(request.rawHeaders))
  const outgoing = http.request({
    path: request.url,
    method: request.method,
    headers: body === undefined ? headers : withLength(headers, body),
    setHost: false,
    createConnection: () => socket,
  })
  outgoing.on('response', incoming => {
    incoming.on('error', () => response.destroy())
    onAnswer?.(incoming.statusCode!)
    response.writeHead(incoming.statusCode!, [...answerHeaders(exchange, incoming), ...added])
    response.flushHeaders()
    incoming.pipe(response)
  })
  outgoing.on('error', onUnreachable)
  response.on('close', () => outgoing.destroy())
  if (body === undefined) request.pipe(outgoing)
  else outgoing.end(body)
}

/** Headers to forward, as a flat list of names and values. */
function forwardedHeaders(raw: IncomingMessage['rawHeaders']): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2)
    if (!HOP_BY_HOP.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!)
  return kept
}

function withLength(headers: string[], body: string): string[] {
  return [
    ...withoutHeaders(headers, name => name === 'content-length'),
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]
}

/** Replaces the host name, which was checked here and which the receiver does not know. */
function withAddressOf(exchange: HttpExchange, headers: string[]): string[] {
  const { request, tenant } = exchange
  if (hostOf(request.socket) === undefined) return headers
  const others = withoutHeaders(
    headers,
    name => name === 'host' || name === 'origin' || isOriginalUrlHeader(name),
  )
  return [...others, 'Host', new URL(tenant.config.url).host, ...originalUrlHeaders(exchange)]
}

/** Headers of the answer. The receiver adds CORS headers itself, unless host name and origin were dropped from the request. */
function answerHeaders({ request, tenant }: HttpExchange, { rawHeaders }: IncomingMessage): string[] {
  const headers = forwardedHeaders(rawHeaders)
  return hostOf(request.socket) === undefined ? headers : withCorsHeaders(tenant.config, request, headers)
}

function withoutHeaders(headers: string[], isDropped: (name: string) => boolean): string[] {
  return headers.filter((_, at) => !isDropped(headers[at - (at % 2)]!.toLowerCase()))
}

function answerUnreachable(exchange: HttpExchange): void {
  if (exchange.response.headersSent) return void exchange.response.destroy()
  refuse(exchange, 503, { code: RPC.refused, message: 'The server was replaced. Try again.' }, [
    'Retry-After',
    '1',
  ])
}
