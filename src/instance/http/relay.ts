import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connectOwn } from '../network/own-connect.ts'
import { hasOwnNetwork } from '../own-network.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { arrivalHeaders, isArrivalHeader } from './arrival.ts'
import { hostOf } from './connection-tenant.ts'
import { type Exchange, refuse } from './exchange.ts'
import { HOP_BY_HOP } from './headers.ts'

// Taken when it is loaded: user code may find it gone (see http-server.ts for why it is no import).
const http = process.getBuiltinModule('node:http')
const net = process.getBuiltinModule('node:net')

/**
 * Passes a request that came over an old connection on to whoever serves the tenant's address now, so that nobody gets an
 * answer of a server that was replaced, or a question whose answer would go to another instance. The answer ends the
 * connection; the client's next one leads there by itself.
 * `body`: of a request that was read already.
 */
export function relayToSuccessor(exchange: Exchange, body?: string): void {
  const { siblings, config } = exchange.tenant
  const port = Number(new URL(config.url).port)
  const onUnreachable = () => unreachable(exchange)
  const pass = (socket: Socket) =>
    relay(exchange, socket, onUnreachable, { added: ['Connection', 'close'], body })
  if (hasOwnNetwork) siblings.connect(port).then(pass, onUnreachable)
  else pass(connectOwn(new net.Socket(), { port, host: '127.0.0.1' }))
}

interface RelayOptions {
  added?: readonly string[]
  body?: string | undefined
  onAnswer?: ((status: number) => void) | undefined
}

/**
 * Sends the request over this connection, which is new, and answers with what comes back. `added`: headers of the answer;
 * `body`: what to send instead of the request's own, which was read; `onAnswer`: hears the status of what comes back.
 */
export function relay(
  exchange: Exchange,
  socket: Socket,
  onUnreachable: () => void,
  { added = [], body, onAnswer }: RelayOptions = {},
): void {
  const { request, response } = exchange
  // While somebody was woken or asked its client went away; a stream that was opened for it now would never end.
  if (response.destroyed) return void socket.destroy()
  const headers = asOfAddress(exchange, forwarded(request.rawHeaders))
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
    response.writeHead(incoming.statusCode!, [...forwarded(incoming.rawHeaders), ...added])
    response.flushHeaders()
    incoming.pipe(response)
  })
  outgoing.on('error', onUnreachable)
  response.on('close', () => outgoing.destroy())
  if (body === undefined) request.pipe(outgoing)
  else outgoing.end(body)
}

/** A flat list of names and values, as Node takes and gives it. */
function forwarded(raw: IncomingMessage['rawHeaders']): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2)
    if (!HOP_BY_HOP.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!)
  return kept
}

function withLength(headers: string[], body: string): string[] {
  return [
    ...without(headers, name => name === 'content-length'),
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]
}

/** The receiver knows nothing of the name by which a request came, which was checked here. */
function asOfAddress(exchange: Exchange, headers: string[]): string[] {
  const { request, tenant } = exchange
  if (hostOf(request.socket) === undefined) return headers
  const others = without(headers, name => name === 'host' || name === 'origin' || isArrivalHeader(name))
  return [...others, 'Host', new URL(tenant.config.url).host, ...arrivalHeaders(exchange)]
}

function without(headers: string[], isOut: (name: string) => boolean): string[] {
  return headers.filter((_, at) => !isOut(headers[at - (at % 2)]!.toLowerCase()))
}

function unreachable(exchange: Exchange): void {
  if (exchange.response.headersSent) return void exchange.response.destroy()
  refuse(exchange, 503, { code: RPC.refused, message: 'The server was replaced; try again' }, [
    'Retry-After',
    '1',
  ])
}
