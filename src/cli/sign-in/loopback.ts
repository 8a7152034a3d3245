import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HostingError } from '../../shared/errors.ts'

/** Where the browser brings its user back to (RFC 8252 7.3). */
export interface Loopback {
  redirectUrl: string
  /** What came with the `state` that was sent; other visits are turned away. */
  answer(state: string): Promise<URLSearchParams>
  close(): void
}

const PATH = '/callback'
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Connection: 'close',
}

/**
 * Listens on loopback alone, at `port` when nobody else does: servers may compare the whole address. Throws CONFLICT when it is taken
 * and no other one will do.
 */
export async function openLoopback(
  port: number | undefined,
  { isFixed = false }: { isFixed?: boolean } = {},
): Promise<Loopback> {
  const server = createServer()
  if (port === undefined || !(await listen(server, port))) {
    if (isFixed) throw taken(port!)
    await listen(server, 0)
  }
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
  return {
    redirectUrl,
    answer: state => waitFor(server, state),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function waitFor(server: Server, state: string): Promise<URLSearchParams> {
  return new Promise(resolve => {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
      const isOurs = request.method === 'GET' && pathname === PATH && searchParams.get('state') === state
      response.writeHead(isOurs ? 200 : 400, HEADERS)
      if (!isOurs)
        return void response.end(page('This page belongs to a sign-in, which is over or another one.'))
      const sentence = searchParams.has('error') ? 'The sign-in was refused.' : 'You are signed in.'
      response.end(page(`${sentence} Go back to the terminal; this window can be closed.`), () =>
        resolve(searchParams),
      )
    })
  })
}

function taken(port: number): HostingError {
  return new HostingError(
    'CONFLICT',
    `The port ${port} is taken, to which the browser is to come back: end what listens there, or register another address and give its --callback-port.`,
  )
}

/** False when the port is taken. */
function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error)
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail)
      resolve(true)
    })
  })
}

function page(sentence: string): string {
  const style = 'font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>mcp</title><body style="${style}"><p>${sentence}</p></body></html>`
}
