import type { Duplex } from 'node:stream'

/** JSON-RPC implementation-defined server error (https://www.jsonrpc.org/specification#error_object). */
const SERVER_ERROR = -32000
const REASONS = {
  400: 'Bad Request',
  408: 'Request Timeout',
  421: 'Misdirected Request',
  431: 'Request Header Fields Too Large',
} as const
const LINGER_MS = 2000

export interface Refusal {
  status: keyof typeof REASONS
  /** A sentence for the client's developer. */
  message: string
}

/** Answers a request, then closes the connection. Reads the rest of the request, because a reset would lose the answer. */
export function refuse(stream: Duplex, { status, message }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } })
  stream.on('error', () => stream.destroy()) // the client disconnected
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  stream.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  stream.resume()
  setTimeout(() => stream.destroy(), LINGER_MS).unref()
}
