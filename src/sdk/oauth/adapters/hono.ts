import { encodeBody } from './encode-body.ts'
import type { FetchComponent } from './node.ts'

/** The part of Hono's context that is used here. On Node, `env` contains the incoming message. */
export interface HonoContext {
  req: {
    raw: Request
    json(): Promise<unknown>
    parseBody(options: { all: true }): Promise<unknown>
  }
  env: unknown
}

/** Middleware for `app.use(…)`. Passes requests for other paths to the next handler. */
export function honoHandler(component: FetchComponent) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    if (component.has(new URL(context.req.raw.url).pathname)) {
      return component.fetch(await unreadRequest(context), { clientAddress: addressOf(context.env) })
    }
    await next()
    return undefined
  }
}

/** Restores the body if other middleware consumed it. Hono caches the parsed body. */
async function unreadRequest({ req }: HonoContext): Promise<Request> {
  if (!req.raw.bodyUsed) return req.raw
  const type = req.raw.headers.get('content-type')
  const isForm = type?.toLowerCase().startsWith('application/x-www-form-urlencoded')
  const body = encodeBody(isForm ? await req.parseBody({ all: true }) : await req.json(), type)
  return new Request(req.raw.url, { method: req.raw.method, headers: req.raw.headers, body })
}

/** Undefined for servers other than @hono/node-server, which sets `incoming`. */
function addressOf(env: unknown): string | undefined {
  const incoming = (env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming
  return incoming?.socket?.remoteAddress
}
