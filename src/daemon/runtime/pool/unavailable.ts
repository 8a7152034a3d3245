import type { Socket } from 'node:net'
import type { NamedRequest } from '../process/named-request.ts'
import { allowReading } from './socket-reading.ts'

export interface Unavailability {
  /** A sentence for the client's developer: the message of the JSON-RPC error. */
  message: string
  retryAfterSeconds: number
}

/** JSON-RPC implementation-defined server error (https://www.jsonrpc.org/specification#error_object). */
const SERVER_UNAVAILABLE = -32000
const REQUEST_WAIT_MS = 5000
const LINGER_MS = 2000

/**
 * Answers a connection that no instance can take with HTTP 503. Waits for the request first, because clients treat an earlier
 * response as a broken connection. Reads what follows the request, because closing with unread bytes resets the connection
 * and loses the answer (RFC 9112 section 9.6).
 */
export function refuseConnection(socket: Socket, why: Unavailability, named?: NamedRequest): void {
  socket.on('error', () => socket.destroy()) // the client disconnected
  const deadline = setTimeout(() => socket.destroy(), REQUEST_WAIT_MS)
  socket.once('close', () => clearTimeout(deadline))
  const answer = () => {
    socket.end(unavailableResponse(why))
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
  if (named) answer()
  else socket.once('data', answer)
  allowReading(socket)
  socket.resume()
}

function unavailableResponse({ message, retryAfterSeconds }: Unavailability): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: SERVER_UNAVAILABLE, message } })
  return [
    'HTTP/1.1 503 Service Unavailable',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Retry-After: ${retryAfterSeconds}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
