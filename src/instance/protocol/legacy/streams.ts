import { accepts, header } from '../../http/headers.ts'
import { openStream, refuse, refuseStream, sendEmpty } from '../../http/responses.ts'
import type { ServedTenant, TenantExchange } from '../../tenant/served-tenant.ts'
import { RPC, rpcNotification } from '../json-rpc.ts'
import { FIRST_WITH_PRIMING } from '../revisions.ts'
import { openOutbox, sendOverGetStream } from './caller-session.ts'
import { parseEventId } from './event-store.ts'
import { requireSession } from './require-session.ts'
import type { Session } from './session.ts'
import { sessionInstance } from './session-id.ts'

/** Handles GET: streams messages outside requests, or the rest of an answer whose connection broke (`Last-Event-ID`). */
export function openSessionStream(exchange: TenantExchange): void {
  const { request, tenant } = exchange
  if (!accepts(request.headers.accept, 'text/event-stream'))
    return refuse(exchange, 406, { code: RPC.refused, message: 'Accept must list text/event-stream' })
  const session = requireSession(exchange)
  if (!session) return
  if (!tenant.hasRoomForStream) return refuseStream(exchange)
  const lastEventId = header(request, 'last-event-id')
  if (lastEventId) return resumeStream(exchange, session, lastEventId)
  if (session.stream)
    return refuse(exchange, 409, {
      code: RPC.refused,
      message: 'This session already has a GET stream. Close it first.',
    })
  holdStream(exchange, session)
}

/** Handles DELETE, with which the client ends the session. */
export function endSession(exchange: TenantExchange): void {
  const session = requireSession(exchange)
  if (!session) return
  exchange.tenant.sessions.end(session.id)
  exchange.tenant.events.forgetSession(session.id)
  exchange.tenant.changed()
  sendEmpty(exchange, 200)
}

function resumeStream(exchange: TenantExchange, session: Session, lastEventId: string): void {
  const event = parseEventId(lastEventId)
  if (event && event.streamId === session.outbox?.id) return holdStream(exchange, session, event.sequence)
  const found = exchange.tenant.events.find(lastEventId, session.id)
  // Unsent events of a previous instance are lost with it. The client receives all later events.
  if (!found && sessionInstance(session.id) !== exchange.tenant.instanceId && !session.stream)
    return holdStream(exchange, session)
  if (!found)
    return refuse(exchange, 400, {
      code: RPC.refused,
      message: `Event ${JSON.stringify(lastEventId)} is unknown in this session, so its stream cannot be resumed. Open a new stream without Last-Event-ID.`,
    })
  const sse = openStream(exchange, ['Mcp-Session-Id', session.id], () => {})
  found.stream.resume(sse, found.after)
}

/** Opens the GET stream of a session. `after` is the sequence number of the last event that a returning client has seen. */
function holdStream(exchange: TenantExchange, session: Session, after?: number): void {
  const { tenant } = exchange
  const isTakenOver = sessionInstance(session.id) !== tenant.instanceId && !session.outbox
  // A connection that the client lost may still look open on this side.
  session.stream?.end()
  const stream = openStream(exchange, ['Mcp-Session-Id', session.id], () => {
    if (session.stream === stream) session.stream = undefined
    session.lastSeenAt = Date.now()
  })
  session.stream = stream
  // Only servers that send requests need a resumable stream.
  if (after !== undefined) openOutbox(tenant, session).resume(stream, after)
  else if (tenant.server.sendsServerRequests)
    openOutbox(tenant, session).attach(stream, session.revision >= FIRST_WITH_PRIMING)
  if (isTakenOver) announceAllLists(tenant, session)
  // A client that reconnects during a release must reach the new instance.
  if (tenant.closesConnections) stream.end()
}

/** Announces all lists, because the client may have missed changes while its stream moved from another instance. */
function announceAllLists(tenant: ServedTenant, session: Session): void {
  for (const list of ['tools', 'resources', 'prompts'] as const)
    if (tenant.server.capabilities[list]?.listChanged)
      sendOverGetStream(tenant, session, rpcNotification(`notifications/${list}/list_changed`, {}))
}
