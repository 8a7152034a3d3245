import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { Connection } from '../component.ts'

/** What answers requests: an authorization server, a proxy, a protected resource. */
export interface FetchComponent {
  issuer: string
  fetch(request: Request, connection?: Connection): Promise<Response>
  has(pathname: string): boolean
}

/** For `http.createServer`: answers each request, 404 for what is not the component's. */
export function nodeListener(component: FetchComponent) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await answerNodeRequest(component, request, response)
  }
}

/** Answers one request of Node. `body` is one that was read already, as by Express' parsers. */
export async function answerNodeRequest(
  component: FetchComponent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body?: string | Uint8Array,
): Promise<void> {
  const response = await component.fetch(toRequest(component, incoming, body), {
    clientAddress: incoming.socket.remoteAddress,
  })
  await writeResponse(response, outgoing)
}

/** The path of a request, below which frameworks may have mounted the handler. */
export function pathOf(component: FetchComponent, incoming: IncomingMessage): string {
  return urlOf(component, incoming).pathname
}

function toRequest(
  component: FetchComponent,
  incoming: IncomingMessage,
  body: string | Uint8Array | undefined,
): Request {
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(urlOf(component, incoming), {
    method: incoming.method,
    headers: headersOf(incoming),
    ...(hasBody && { body: (body ?? Readable.toWeb(incoming)) as ReadableStream, duplex: 'half' }),
  })
}

/** Behind the origin that is configured: a Host header is anybody's word. Express keeps the whole path in `originalUrl`. */
function urlOf({ issuer }: FetchComponent, incoming: IncomingMessage & { originalUrl?: string }): URL {
  const path = incoming.originalUrl ?? incoming.url ?? '/'
  const { origin } = new URL(issuer)
  return URL.canParse(origin + path) ? new URL(origin + path) : new URL(origin)
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  return headers
}

async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const cookies = response.headers.getSetCookie()
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  if (response.body) await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing)
  else outgoing.end()
}
