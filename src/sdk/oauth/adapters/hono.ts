import type { FetchComponent } from './node.ts'

/** What is used of Hono's context; of Node's server it carries the incoming message. */
export interface HonoContext {
  req: { raw: Request }
  env: unknown
}

/** Middleware for `app.use(…)`: answers the component's addresses, leaves the others to what follows. */
export function honoHandler(component: FetchComponent) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    if (component.has(new URL(context.req.raw.url).pathname)) {
      return component.fetch(context.req.raw, { clientAddress: addressOf(context.env) })
    }
    await next()
    return undefined
  }
}

/** @hono/node-server tells the message under `incoming`; other servers tell the address in ways of their own. */
function addressOf(env: unknown): string | undefined {
  const incoming = (env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming
  return incoming?.socket?.remoteAddress
}
