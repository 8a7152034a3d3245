import type { Socket } from 'node:net'

/** Refuses a connection whose tenant was retired while the connection was in transit. The client may retry immediately. */
export function refuseConnection(socket: Socket): void {
  const body =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"The server is being replaced. Try again."}}'
  socket.end(
    `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n${body}`,
  )
  socket.resume()
}
