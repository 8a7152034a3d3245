import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeResponse } from '../adapters/node.ts'
import type { AuthInfo, ProtectedResource } from './protected-resource.ts'

/** Middleware of Express: `request.auth` is who sends the request, where the MCP SDK's transports look for it. */
export function expressBearer(resource: ProtectedResource) {
  return (
    request: IncomingMessage & { auth?: AuthInfo },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => {
    nodeBearer(resource, request, response).then(auth => {
      if (!auth) return
      request.auth = auth
      next()
    }, next)
  }
}

/** For `node:http`: who sends the request; undefined when it was answered with 401 or 403. */
export async function nodeBearer(
  resource: ProtectedResource,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<AuthInfo | undefined> {
  const auth = await resource.authenticate(request.headers.authorization)
  if ('token' in auth) return auth
  await writeResponse(auth, response)
  return undefined
}

export interface HonoBearerContext {
  req: { raw: Request }
  set(key: 'auth', auth: AuthInfo): void
}

/** Middleware of Hono: `context.get('auth')` is who sends the request. */
export function honoBearer(resource: ProtectedResource) {
  return async (context: HonoBearerContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const auth = await resource.authenticate(context.req.raw.headers.get('authorization'))
    // Not instanceof: some servers put a class of their own in Response's place.
    if (!('token' in auth)) return auth
    context.set('auth', auth)
    await next()
    return undefined
  }
}
