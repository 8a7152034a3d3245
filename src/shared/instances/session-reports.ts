/** Client sessions as instances report them, and messages about them between the daemon and instances. */

/** A session of the legacy era, or a subscription stream of the modern era, which has no sessions. */
export interface SessionReport {
  /** Handle that does not give access to the session, unlike its id. The same on every instance that serves the session. */
  id: string
  kind: 'session' | 'subscription'
  /** Identifies the session in log lines. Empty for subscriptions. */
  label: string
  protocolVersion: string
  /** Undefined when this instance did not see `initialize`. */
  client?: { name: string; version: string }
  /** Subject of the signed-in user. */
  caller?: string
  /** Unix milliseconds, in whole seconds. */
  startedAt: number
  /** Unix milliseconds. */
  lastUsedAt: number
  requests: number
  activeRequests: number
  /** Streams for messages outside requests. */
  openStreams: number
  /** Lists (`tools`, `resources`, `prompts`) and resource URIs that the client subscribed to. */
  subscriptions: string[]
}

export type SessionPosition = Pick<SessionReport, 'id' | 'startedAt'>

export interface SessionQuery {
  /** At most `REPORT_LIMITS.sessions`. */
  limit: number
  /** Only sessions after this one, newest first. */
  after?: SessionPosition
  /** Only this session. */
  id?: string
}

/** Sessions that were ended through the API and must not be served again. */
export interface EndedSessions {
  /** Handles. */
  ids: string[]
  /** Also all sessions that started up to this time (Unix seconds). 0: none. */
  startedUntil: number
}

export type SessionOrder =
  /** Answered by `sessions`. */
  | { type: 'list-sessions'; tenantId: string; query: SessionQuery }
  /** Answered by `sessions-ended`. */
  | { type: 'end-sessions'; tenantId: string; ended: EndedSessions }

export type SessionAnswer =
  /** Newest first. */
  | { type: 'sessions'; tenantId: string; sessions: SessionReport[] }
  /** `ids`: handles of the sessions that were open here. */
  | { type: 'sessions-ended'; tenantId: string; ids: string[] }

/** Maximum number of open sessions of a tenant. */
export const MAX_SESSIONS = 10_000
/** Limits of a report. Clients choose these strings, and a message from a process with user code may have at most 2 MB. */
export const REPORT_LIMITS = { sessions: 100, subscriptions: 5, characters: 128, callerCharacters: 256 }
/** An ended session is remembered this long. Older session ids are not taken over anyway. */
export const ENDED_SESSIONS_KEPT_MS = 24 * 3_600_000

/** Newest first, by id within one second. */
export function compareSessions(a: SessionPosition, b: SessionPosition): number {
  return b.startedAt - a.startedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

/** Adds to the sessions that were ended before. */
export function addEnded(before: EndedSessions | undefined, more: EndedSessions): EndedSessions {
  return {
    ids: [...new Set([...(before?.ids ?? []), ...more.ids])],
    startedUntil: Math.max(before?.startedUntil ?? 0, more.startedUntil),
  }
}
