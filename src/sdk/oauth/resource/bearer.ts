import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeResponse } from '../adapters/node.ts'
import type { AuthInfo, ProtectedResource } from './protected-resource.ts'

/** Express middleware. Sets `request.auth`, which the MCP SDK's transports use. */
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

/** Authenticates a request of `node:http`. Returns undefined after it has answered with 401, 403 or 503. */
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

/** Hono middleware. Sets `context.get('auth')`. */
export function honoBearer(resource: ProtectedResource) {
  return async (context: HonoBearerContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const auth = await resource.authenticate(context.req.raw.headers.get('authorization'))
    // Not instanceof, because some servers replace the Response class.
    if (!('token' in auth)) return auth
    context.set('auth', auth)
    await next()
    return undefined
  }
}
