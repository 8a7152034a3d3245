import { RequestError } from '@hono/node-server'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HostingError, toHostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import type { ApiContext } from '../endpoint.ts'
import { STATUS_OF } from '../status.ts'

/** Logs details that clients must not see. */
export type ErrorLog = (message: string, error: unknown, fields: Record<string, unknown>) => void

/** Answers a thrown error with the error envelope and its status. Keeps headers that middleware has set. */
export function answerError(context: ApiContext, error: unknown, log: ErrorLog): Response {
  const known = toHostingError(error)
  const status = STATUS_OF[known.code]
  if (status >= 500) logError(context, error, log)
  return context.json(envelopeOf(known, context.get('requestId')), status as ContentfulStatusCode)
}

/** Answers a malformed request, such as one with an invalid Host header or the path `*`. */
export function answerMalformed(cause: unknown): Response {
  const requestId = createId('req')
  const error =
    cause instanceof RequestError
      ? new HostingError('INVALID_REQUEST', 'The request has no valid Host header or no valid path.')
      : toHostingError(cause)
  const headers = { 'X-Request-Id': requestId }
  return Response.json(envelopeOf(error, requestId), { status: STATUS_OF[error.code], headers })
}

function envelopeOf(error: HostingError, requestId: string) {
  const meta = { request_id: requestId, timestamp: new Date().toISOString() }
  return { success: false, error: error.toBody(), meta }
}

function logError(context: ApiContext, error: unknown, log: ErrorLog): void {
  const { method, path } = context.req
  log('request failed', error, { requestId: context.get('requestId'), method, path })
}
