import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HostingError } from '../../shared/errors.ts'

/**
 * Listens on loopback. Port 0 picks a free port. `descriptor` belongs to an inherited socket that already listens on the
 * port. Throws CONFLICT when another program uses the port, or when the current user may not use it.
 */
export async function listen(
  port: number,
  listener: RequestListener,
  descriptor?: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(toListenError(error as NodeJS.ErrnoException, port)))
    const where = descriptor === undefined ? { port, host: '127.0.0.1' } : { fd: descriptor }
    server.listen(where, resolve)
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Lets running requests finish, and aborts them after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  // A connection becomes idle shortly after its answer has been sent.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}

function toListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new HostingError('CONFLICT', `Port ${port} on 127.0.0.1 is in use by another program.`, {
      details: 'Set MCP_PORT to a free port, or to 0 to pick one.',
      next: [{ description: 'Use any free port', command: 'MCP_PORT=0 mcp daemon start' }],
      cause: error,
    })
  if (error.code === 'EACCES')
    return new HostingError('CONFLICT', `The current user may not use port ${port}.`, {
      details: 'Set MCP_PORT to 1024 or higher.',
      cause: error,
    })
  return error
}
