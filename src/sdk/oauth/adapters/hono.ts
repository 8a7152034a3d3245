import { encodeBody } from './encode-body.ts'
import type { FetchComponent } from './node.ts'

/** What is used of Hono's context; on Node its `env` carries the incoming message. */
export interface HonoContext {
  req: {
    raw: Request
    json(): Promise<unknown>
    parseBody(options: { all: true }): Promise<unknown>
  }
  env: unknown
}

/** Middleware for `app.use(…)`: answers the component's addresses, leaves the others to what follows. */
export function honoHandler(component: FetchComponent) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    if (component.has(new URL(context.req.raw.url).pathname)) {
      return component.fetch(await unreadRequest(context), { clientAddress: addressOf(context.env) })
    }
    await next()
    return undefined
  }
}

/** The request with its body, also when middleware before read that: Hono keeps what it parsed. */
async function unreadRequest({ req }: HonoContext): Promise<Request> {
  if (!req.raw.bodyUsed) return req.raw
  const type = req.raw.headers.get('content-type')
  const isForm = type?.toLowerCase().startsWith('application/x-www-form-urlencoded')
  const body = encodeBody(isForm ? await req.parseBody({ all: true }) : await req.json(), type)
  return new Request(req.raw.url, { method: req.raw.method, headers: req.raw.headers, body })
}

/** @hono/node-server tells the message under `incoming`; other servers tell the address in ways of their own. */
function addressOf(env: unknown): string | undefined {
  const incoming = (env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming
  return incoming?.socket?.remoteAddress
}
