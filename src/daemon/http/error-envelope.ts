import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type HostingError, toHostingError } from '../../shared/errors.ts'
import type { ApiContext } from './endpoint.ts'
import { STATUS_OF } from './status.ts'

/** Writes to the daemon's log what no client may see. */
export type ErrorLog = (message: string, error: unknown, fields: Record<string, unknown>) => void

/** Anything thrown → the error envelope with its status; headers that the middleware already set stay. */
export function answerError(context: ApiContext, error: unknown, log: ErrorLog): Response {
  const known = toHostingError(error)
  const status = STATUS_OF[known.code]
  if (status >= 500) logError(context, error, log)
  return context.json(errorEnvelope(context, known), status as ContentfulStatusCode)
}

function errorEnvelope(context: ApiContext, error: HostingError) {
  const meta = { request_id: context.get('requestId'), timestamp: new Date().toISOString() }
  return { success: false, error: error.toBody(), meta }
}

function logError(context: ApiContext, error: unknown, log: ErrorLog): void {
  const { method, path } = context.req
  log('request failed', error, { requestId: context.get('requestId'), method, path })
}
