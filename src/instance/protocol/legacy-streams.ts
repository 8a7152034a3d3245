import { type Exchange, openStream, refuse, sendEmpty } from '../http/exchange.ts'
import { accepts, header } from '../http/headers.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { openOutbox, sendUnasked } from './caller-session.ts'
import { parseEventId } from './event-store.ts'
import { RPC, rpcNotification } from './json-rpc.ts'
import { requireSession } from './legacy.ts'
import { FIRST_WITH_PRIMING } from './revisions.ts'
import { sessionInstance } from './session-id.ts'
import type { Session } from './sessions.ts'

/** GET: what the server has to say unasked, or the rest of an answer whose connection broke (`Last-Event-ID`). */
export function openSessionStream(exchange: Exchange): void {
  const { request, tenant } = exchange
  if (!accepts(request.headers.accept, 'text/event-stream'))
    return refuse(exchange, 406, { code: RPC.refused, message: 'Accept must list text/event-stream' })
  const session = requireSession(exchange)
  if (!session) return
  if (!tenant.hasRoomForStream)
    return refuse(exchange, 503, { code: RPC.refused, message: 'Too many open streams; try again later' }, [
      'Retry-After',
      '5',
    ])
  const lastEventId = header(request, 'last-event-id')
  if (lastEventId) return resumeStream(exchange, session, lastEventId)
  if (session.stream)
    return refuse(exchange, 409, {
      code: RPC.refused,
      message: 'This session has a GET stream already; close it first',
    })
  holdStream(exchange, session)
}

/** DELETE: the client is done. */
export function endSession(exchange: Exchange): void {
  const session = requireSession(exchange)
  if (!session) return
  exchange.tenant.sessions.end(session.id)
  exchange.tenant.events.forgetSession(session.id)
  exchange.tenant.changed()
  sendEmpty(exchange, 200)
}

function resumeStream(exchange: Exchange, session: Session, lastEventId: string): void {
  const event = parseEventId(lastEventId)
  if (event && event.streamId === session.outbox?.id) return holdStream(exchange, session, event.sequence)
  const found = exchange.tenant.events.find(lastEventId, session.id)
  // What an instance before this one still had to say went with it; what comes from now on is heard.
  if (!found && sessionInstance(session.id) !== exchange.tenant.instanceId && !session.stream)
    return holdStream(exchange, session)
  if (!found)
    return refuse(exchange, 400, {
      code: RPC.refused,
      message: `Event ${JSON.stringify(lastEventId)} is not known in this session, so its stream cannot be resumed`,
    })
  const sse = openStream(exchange, ['Mcp-Session-Id', session.id], () => {})
  found.stream.resume(sse, found.after)
}

/** `after`: sequence number of the event that a client which comes back has seen last. */
function holdStream(exchange: Exchange, session: Session, after?: number): void {
  const { tenant } = exchange
  const isTakenOver = sessionInstance(session.id) !== tenant.instanceId && !session.outbox
  // The connection that the client lost may look whole from here.
  session.stream?.end()
  const stream = openStream(exchange, ['Mcp-Session-Id', session.id], () => {
    if (session.stream === stream) session.stream = undefined
    session.lastSeenAt = Date.now()
  })
  session.stream = stream
  // Only who can have something to say needs a stream to resume.
  if (after !== undefined) openOutbox(tenant, session).resume(stream, after)
  else if (tenant.server.speaksUnasked)
    openOutbox(tenant, session).attach(stream, session.revision >= FIRST_WITH_PRIMING)
  if (isTakenOver) tellOfMissed(tenant, session)
  // A client that comes back while its server is being replaced must find the new one.
  if (tenant.isLeaving) stream.end()
}

/** While its stream was on the way here from another instance, nobody could tell the client that lists changed. */
function tellOfMissed(tenant: ServedTenant, session: Session): void {
  for (const list of ['tools', 'resources', 'prompts'] as const)
    if (tenant.server.capabilities[list]?.listChanged)
      sendUnasked(tenant, session, rpcNotification(`notifications/${list}/list_changed`, {}))
}
