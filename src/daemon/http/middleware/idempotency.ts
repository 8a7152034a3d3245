import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import type { IdempotencyKeys, KeptAnswer, Lookup } from '../../services/access/idempotency-keys.ts'
import type { ApiContext, Bindings, Route } from '../endpoint.ts'

/** Response headers that a replay repeats. */
const KEPT_HEADERS = ['Content-Type', 'ETag', 'Location', 'Preference-Applied', 'X-Request-Id']

const RETRY_AFTER_SECONDS = '1'

/**
 * Replays the answer to a POST that was already made with the same `Idempotency-Key`
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/). Runs after authentication and validation,
 * so rejected requests do not reserve a key.
 */
export function idempotency(route: Route, keys: IdempotencyKeys): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    const key = readKey(context, route)
    if (key === undefined) return next()
    const found = keys.reserve(context.get('principal').id, key, describeRequest(context))
    if (found.state === 'answered') return replay(context, found.answer)
    if (found.state !== 'new') throw refuse(context, found.state)
    const { reservation } = found
    try {
      await next()
      if (isKept(context.res.status)) reservation.keep(await copyAnswer(context.res))
    } finally {
      reservation.release()
    }
  }
}

function readKey(context: ApiContext, { endpoint }: Route): string | undefined {
  const key = context.req.header('idempotency-key')
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new HostingError(
      'INVALID_REQUEST',
      'The Idempotency-Key is not valid: expected 1 to 255 visible ASCII characters.',
      { details: 'Send a new UUID for every new request, and the same one for its retries.' },
    )
  if (endpoint.answers[200]?.events && context.get('call').accepts('text/event-stream'))
    throw new HostingError('INVALID_REQUEST', 'An event stream cannot be replayed.', {
      details: 'Send either Idempotency-Key or Accept: text/event-stream.',
    })
  return key
}

/** Operations without a body ignore any body that is sent, so it does not identify the request. */
function describeRequest(context: ApiContext): string {
  const { pathname, search } = new URL(context.req.url)
  const type = context.req.header('content-type') ?? ''
  return JSON.stringify([context.req.method, pathname + search, type, context.get('bodyDigest') ?? ''])
}

/** False for statuses that may change when the request is repeated. */
export function isKept(status: number): boolean {
  return status < 500 && ![401, 403, 412, 429, 499].includes(status)
}

async function copyAnswer(response: Response): Promise<KeptAnswer> {
  const kept = KEPT_HEADERS.map(name => [name, response.headers.get(name)] as const)
  const headers = Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== null))
  return { status: response.status, headers, body: await response.clone().text() }
}

function replay(context: ApiContext, { status, headers, body }: KeptAnswer): Response {
  if (body === null)
    throw new HostingError(
      'CONFLICT',
      `The request with this Idempotency-Key ended with status ${status}. Its answer was too large to keep.`,
      { details: 'Read the record that it created. Send a new key to run the request again.' },
    )
  for (const [name, value] of Object.entries(headers)) context.header(name, value)
  context.header('Idempotent-Replayed', 'true')
  return context.newResponse(body === '' ? null : body, status as 200)
}

function refuse(context: ApiContext, state: Exclude<Lookup['state'], 'new' | 'answered'>): HostingError {
  if (state === 'mismatch')
    return new HostingError(
      'IDEMPOTENCY_MISMATCH',
      'This Idempotency-Key was used for another request within the last 24 hours.',
      { details: 'Method, path, content type and body must be the same. Send a new key for a new request.' },
    )
  if (state === 'interrupted')
    return new HostingError(
      'CONFLICT',
      'The daemon stopped while it ran the request with this Idempotency-Key, so its result is unknown.',
      { details: 'Check whether the request had an effect. Send a new key to run it again.' },
    )
  context.header('Retry-After', RETRY_AFTER_SECONDS)
  return new HostingError('CONFLICT', 'The request with this Idempotency-Key is still running.', {
    details: `Try again in ${RETRY_AFTER_SECONDS} s.`,
  })
}
