import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Connection } from '../connection.ts'

/** What answers requests: an authorization server, a proxy, a protected resource. */
export interface FetchComponent {
  fetch(request: Request, connection?: Connection): Promise<Response>
  has(pathname: string): boolean
}

/** For `http.createServer`: answers each request, 404 for what is not the component's. */
export function nodeListener(component: FetchComponent) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await answerNodeRequest(component, request, response)
    } catch {
      // The client is gone, or sent what is no request: nothing may come of that for others.
      if (response.headersSent) response.destroy()
      else response.writeHead(400).end()
    }
  }
}

export interface NodeRequestParts {
  /** One that was read already, as by Express' parsers. */
  body?: string
  /** Default: that of the connection. */
  clientAddress?: string
}

/** Answers one request of Node. */
export async function answerNodeRequest(
  component: FetchComponent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { body, clientAddress = incoming.socket.remoteAddress }: NodeRequestParts = {},
): Promise<void> {
  const response = await component.fetch(toRequest(incoming, body), { clientAddress })
  // What is left of a body that nobody read would stand before the next request of the connection.
  if (!incoming.complete) outgoing.setHeader('Connection', 'close')
  await writeResponse(response, outgoing)
}

/**
 * Only path and query count: a Host header is anybody's word, the component knows its own address. Express keeps the whole path in
 * `originalUrl` wherever a handler is mounted.
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
