import { HostingError } from '../../../shared/errors.ts'
import type { Call, Reply, Route } from '../endpoint.ts'
import { etagOf, matchesEtag, matchesStrongEtag } from './etags.ts'

type AnyCall = Call<unknown, unknown, unknown>

/** Runs an endpoint. Checks `If-Match` and `If-None-Match` if the endpoint is about one record (RFC 9110 13.2). */
export async function runConditionally(route: Route, call: AnyCall): Promise<Reply> {
  const { endpoint } = route
  if (!endpoint.record) return endpoint.run(call)
  // Nothing may run between the check and the write, so nothing is awaited here.
  if (route.method !== 'GET') call.checkPrecondition()
  const reply = withEtag(await endpoint.run(call))
  const etag = 'headers' in reply ? reply.headers?.ETag : undefined
  if (route.method !== 'GET' || etag === undefined) return reply
  return matchesEtag(call.header('if-none-match'), etag) ? { status: 304, headers: { ETag: etag } } : reply
}

/**
 * Throws PRECONDITION_FAILED if the current record does not meet the request's `If-Match` or `If-None-Match`. Requests
 * without them are not checked.
 */
export function checkPrecondition(
  { endpoint }: Route,
  { params, header }: Pick<AnyCall, 'params' | 'header'>,
): void {
  const [ifMatch, ifNoneMatch] = [header('if-match'), header('if-none-match')]
  if (!endpoint.record || (ifMatch === undefined && ifNoneMatch === undefined)) return
  const record = endpoint.record(params)
  const etag = record && etagOf(record)
  if (ifMatch !== undefined && !(etag && matchesStrongEtag(ifMatch, etag)))
    throw new HostingError(
      'PRECONDITION_FAILED',
      etag
        ? 'The record changed: its ETag is not in If-Match.'
        : 'If-Match names a record that does not exist.',
      { details: 'Get the record again and repeat the request with its ETag.' },
    )
  if (etag && matchesEtag(ifNoneMatch, etag))
    throw new HostingError('PRECONDITION_FAILED', 'The record exists: its ETag matches If-None-Match.', {
      details: 'Omit If-None-Match to change the record.',
    })
}

function withEtag(reply: Reply): Reply {
  if (!('data' in reply)) return reply
  const etag = etagOf(reply.record ?? (reply.data as object))
  return { ...reply, headers: { ...reply.headers, ETag: etag } }
}
