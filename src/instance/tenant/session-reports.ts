import {
  addEnded,
  compareSessions,
  type EndedSessions,
  REPORT_LIMITS,
  type SessionPosition,
  type SessionQuery,
  type SessionReport,
} from '../../shared/instances/session-reports.ts'
import type { Listener } from '../protocol/change-notifier.ts'
import type { Session } from '../protocol/legacy/session.ts'
import { sessionHandle } from '../protocol/legacy/session-id.ts'
import type { ClientFacts } from '../server/client-context.ts'
import type { ServedTenant } from './served-tenant.ts'

type Open = Session | Listener

/** Sessions and subscriptions of a tenant, newest first. Runs only when the daemon asks. */
export function reportSessions(tenant: ServedTenant, { limit, after, id }: SessionQuery): SessionReport[] {
  const all: Open[] = [...tenant.openSessions, ...tenant.listeners]
  return candidates(all, id === undefined ? limit : all.length, after)
    .map(one => ({ one, id: handleOf(tenant, one), startedAt: startOf(one) }))
    .filter(one => (id === undefined || one.id === id) && (!after || compareSessions(one, after) > 0))
    .sort(compareSessions)
    .slice(0, Math.min(limit, REPORT_LIMITS.sessions))
    .map(({ one, ...position }) => ({ ...position, ...detailsOf(one) }))
}

/** Sessions that may be on the page. Only these get a handle, because computing hashes takes time. */
function candidates(all: Open[], limit: number, after: SessionPosition | undefined): Open[] {
  const last = after?.startedAt ?? Number.POSITIVE_INFINITY
  const older = all.filter(one => startOf(one) < last).sort((a, b) => startOf(b) - startOf(a))
  const oldest = startOf(older[Math.min(limit, older.length) - 1] ?? { startedAt: last })
  return all.filter(one => startOf(one) === last || (startOf(one) < last && startOf(one) >= oldest))
}

/** Ends the open sessions and subscriptions that `ended` covers, and refuses their later requests. Returns their handles. */
export function endSessions(tenant: ServedTenant, ended: EndedSessions): string[] {
  tenant.endedSessions = addEnded(tenant.endedSessions, ended)
  const all: Open[] = [...tenant.openSessions, ...tenant.listeners]
  const ends = all
    .map(one => ({ one, id: handleOf(tenant, one) }))
    .filter(({ one, id }) => startOf(one) <= ended.startedUntil * 1000 || ended.ids.includes(id))
  for (const { one } of ends) {
    if (isListener(one)) one.finish()
    else endSession(tenant, one)
  }
  tenant.changed()
  return ends.map(({ id }) => id)
}

function endSession(tenant: ServedTenant, session: Session): void {
  session.running.disconnectAll()
  tenant.sessions.end(session.id)
  tenant.events.forgetSession(session.id)
  tenant.server.endSession?.(tenant, session)
}

type Details = Omit<SessionReport, 'id' | 'startedAt'>

function detailsOf(one: Open): Details {
  return { ...(isListener(one) ? listenerDetails(one) : sessionDetails(one)), ...commonDetails(one) }
}

function sessionDetails({ label, client, lastSeenAt, requests, running, stream }: Session) {
  return {
    kind: 'session' as const,
    label: shorten(label),
    protocolVersion: client.protocolVersion,
    ...clientPart(client.info),
    lastUsedAt: lastSeenAt,
    requests,
    activeRequests: running.size - running.streams,
    openStreams: (stream ? 1 : 0) + running.streams,
  }
}

function listenerDetails({ protocolVersion, client, startedAt }: Listener) {
  return {
    kind: 'subscription' as const,
    label: '',
    protocolVersion,
    ...clientPart(client),
    lastUsedAt: startedAt,
    requests: 1,
    activeRequests: 0,
    openStreams: 1,
  }
}

function commonDetails({ owner, subscriptions = [] }: Open) {
  return {
    ...(owner !== undefined && { caller: shorten(owner, REPORT_LIMITS.callerCharacters) }),
    subscriptions: [...subscriptions].slice(0, REPORT_LIMITS.subscriptions).map(name => shorten(name)),
  }
}

function isListener(one: Open): one is Listener {
  return 'finish' in one
}

/** Start of a session in whole seconds, as in session ids. */
function startOf({ startedAt }: Pick<Open, 'startedAt'>): number {
  return Math.floor(startedAt / 1000) * 1000
}

/** Handle of a session or stream. Instance ids are unique, so no other stream has the same handle. */
function handleOf({ instanceId }: ServedTenant, one: Open): string {
  if (!isListener(one)) return sessionHandle(one.id)
  return sessionHandle(`${instanceId} ${one.number}`).replace('ses_', 'sub_')
}

function clientPart(info: ClientFacts['info']): Pick<SessionReport, 'client'> {
  return info ? { client: { name: shorten(info.name), version: shorten(info.version) } } : {}
}

/** Shortens a text for display. Clients may send any value as their name and version. */
function shorten(text: unknown, max = REPORT_LIMITS.characters): string {
  return typeof text === 'string' ? text.slice(0, max).toWellFormed().replace(CONTROLS, ' ') : ''
}

/** A control character can take up six characters in JSON. */
const CONTROLS = /\p{Cc}/gu
