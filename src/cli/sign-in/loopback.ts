import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HostingError } from '../../shared/errors.ts'

/** Local server for the redirect of a sign-in (RFC 8252 7.3). */
export interface Loopback {
  redirectUrl: string
  /** Parameters of the redirect with the given `state`. Rejects other requests. */
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
 * Listens on loopback, at `port` if possible, because servers may compare the whole URL. If `port` is required, throws CONFLICT
 * when it is in use and INVALID_REQUEST when it is not permitted.
 */
export async function openLoopback(
  port: number | undefined,
  { isFixed = false }: { isFixed?: boolean } = {},
): Promise<Loopback> {
  const server = createServer()
  const fault = await listen(server, port ?? 0)
  if (fault && isFixed) throw portError(port!, fault)
  if (fault) await listen(server, 0)
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
      if (!isOurs) return void response.end(page('This page belongs to another sign-in.'))
      const sentence = searchParams.has('error') ? 'The sign-in was refused.' : 'The sign-in was approved.'
      response.end(page(`${sentence} Return to the terminal. You can close this window.`), () =>
        resolve(searchParams),
      )
    })
  })
}

type PortFault = 'EADDRINUSE' | 'EACCES'

function portError(port: number, fault: PortFault): HostingError {
  const subject = `Port ${port} for the sign-in redirect is`
  const other = 'register a URL with another port and pass it with --callback-port.'
  return fault === 'EADDRINUSE'
    ? new HostingError('CONFLICT', `${subject} in use. Stop the program that uses it, or ${other}`)
    : new HostingError('INVALID_REQUEST', `${subject} not permitted for this user. Instead, ${other}`)
}

/** Resolves to the fault when the port is in use or not permitted. */
function listen(server: Server, port: number): Promise<PortFault | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(error.code) : reject(error)
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail)
      resolve(undefined)
    })
  })
}

function page(sentence: string): string {
  const style = 'font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>mcp</title><body style="${style}"><p>${sentence}</p></body></html>`
}
