import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Connection } from '../connection.ts'

/** Handles requests: an authorization server, a proxy, or a protected resource. */
export interface FetchComponent {
  fetch(request: Request, connection?: Connection): Promise<Response>
  has(pathname: string): boolean
}

/** Listener for `http.createServer`. Answers 404 to requests for other paths. */
export function nodeListener(component: FetchComponent) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await answerNodeRequest(component, request, response)
    } catch {
      // The client disconnected or sent an invalid request, which must not affect other clients.
      if (response.headersSent) response.destroy()
      else response.writeHead(400).end()
    }
  }
}

export interface NodeRequestParts {
  /** Body that was already read, for example by Express's parsers. */
  body?: string
  /** Default: the remote address of the connection. */
  clientAddress?: string
}

export async function answerNodeRequest(
  component: FetchComponent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { body, clientAddress = incoming.socket.remoteAddress }: NodeRequestParts = {},
): Promise<void> {
  const response = await component.fetch(toRequest(incoming, body), { clientAddress })
  // The rest of an unread body would precede the next request on the connection.
  if (!incoming.complete) outgoing.setHeader('Connection', 'close')
  await writeResponse(response, outgoing)
}

/**
 * Path and query of a request. The Host header is ignored, because clients choose it. In Express, `originalUrl` has the complete
 * path of mounted handlers.
 */
export function urlOf(incoming: IncomingMessage & { originalUrl?: string }): URL {
  const url = `http://localhost${incoming.originalUrl ?? incoming.url}`
  return new URL(URL.canParse(url) ? url : 'http://localhost/')
}

export async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  outgoing.writeHead(response.status, headers).end(await response.text())
}

function toRequest(incoming: IncomingMessage, body: string | undefined): Request {
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(urlOf(incoming), {
    method: incoming.method,
    headers: headersOf(incoming),
    ...(hasBody && { body: body ?? (Readable.toWeb(incoming) as ReadableStream), duplex: 'half' }),
  })
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  return headers
}
