import type { MiddlewareHandler } from 'hono'
import { createId } from '../../../shared/ids.ts'
import type { Bindings } from '../endpoint.ts'

/** Sets `X-Request-Id` on every answer, equal to `meta.request_id`. */
export const requestId: MiddlewareHandler<Bindings> = async (context, next) => {
  const id = createId('req')
  context.set('requestId', id)
  context.header('X-Request-Id', id)
  await next()
}
