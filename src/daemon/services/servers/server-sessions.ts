import { decodePageToken, encodePageToken } from '../../../shared/contract/page-token.ts'
import type {
  EndedSessionsResult,
  SessionPage,
  SessionRecord,
} from '../../../shared/contract/servers/sessions.ts'
import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import type { EndedSessions, SessionQuery } from '../../../shared/instances/session-reports.ts'
import type { LiveSession } from '../../runtime/sessions/live-sessions.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { requireServer } from '../deployments/release-history.ts'

type Dependencies = Pick<ServiceDependencies, 'audit' | 'clock' | 'store' | 'supervisor'>

export interface SessionFilter {
  server: string
  environment?: StoreEnvironment | undefined
}

interface SessionPlace {
  server: string
  environment: StoreEnvironment
}

/** MCP sessions of servers. The instances keep them, so each method asks the instances. */
export class ServerSessions {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Newest first. Throws NOT_FOUND for an unknown server. */
  async list(filter: SessionFilter, limit: number, token: string | undefined): Promise<SessionPage> {
    const places = this.#places(filter)
    const query = { limit: limit + 1, ...afterOf(token) }
    const { sessions, unanswered } = await this.#live.list([...places.keys()], query)
    const page = sessions.slice(0, limit)
    return {
      items: page.map(session => toRecord(session, places.get(session.servedId)!)),
      nextToken: sessions.length > limit ? tokenOf(page.at(-1)!) : null,
      unanswered,
    }
  }

  /** Ends one session. Does nothing when it is not open. Throws NOT_FOUND for an unknown server. */
  async end(server: string, id: string, by: string): Promise<EndedSessionsResult> {
    const places = this.#places({ server })
    const { sessions, unanswered } = await this.#live.list([...places.keys()], { limit: 1, id })
    const environment = sessions[0] && places.get(sessions[0].servedId)
    if (environment === undefined) return { ended: 0, unanswered }
    return this.#end({ server, environment }, { ids: [id], startedUntil: 0 }, by)
  }

  /** Ends all sessions that have started so far, including those that no instance has in memory. */
  async endAll(filter: SessionFilter, by: string): Promise<EndedSessionsResult> {
    const { server } = filter
    const startedUntil = Math.floor(this.#now() / 1000)
    const environments = new Set(this.#places(filter).values())
    const results = await Promise.all(
      [...environments].map(environment => this.#end({ server, environment }, { ids: [], startedUntil }, by)),
    )
    return {
      ended: results.reduce((sum, { ended }) => sum + ended, 0),
      unanswered: results.flatMap(({ unanswered }) => unanswered),
    }
  }

  /** Records the sessions as ended before it ends them, so that no instance that starts later serves them again. */
  async #end(
    { server, environment }: SessionPlace,
    sessions: EndedSessions,
    by: string,
  ): Promise<EndedSessionsResult> {
    const { audit, store } = this.#deps
    store.endedSessions.add(server, environment, sessions, this.#now())
    const ids = [...this.#places({ server, environment }).keys()]
    const { ended, unanswered } = await this.#live.end(ids, sessions)
    audit('ended MCP sessions', { server, environment, sessions: sessions.ids, ended: ended.size, by })
    return { ended: ended.size, unanswered }
  }

  get #live() {
    return this.#deps.supervisor.liveSessions
  }

  #now(): number {
    return Date.parse(this.#deps.clock.wallTime())
  }

  /** Running deployments and previews of the server, with their environments. */
  #places({ server, environment }: SessionFilter): Map<string, StoreEnvironment> {
    requireServer(this.#deps, server)
    const { store, supervisor } = this.#deps
    const all = supervisor.liveSessions
      .idsOf(server)
      .map(id => [id, store.deployments.find(id)?.environment ?? 'preview'] as const)
    return new Map(all.filter(([, each]) => environment === undefined || each === environment))
  }
}

function toRecord(session: LiveSession, environment: StoreEnvironment): SessionRecord {
  const { servedId, instanceIds, label, client, caller, startedAt, lastUsedAt, ...rest } = session
  return {
    ...rest,
    environment,
    deploymentId: environment === 'preview' ? null : servedId,
    instances: instanceIds,
    sessionId: label || null,
    client: client ?? null,
    caller: caller ?? null,
    startedAt: new Date(startedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
  }
}

function tokenOf({ id, startedAt }: LiveSession): string {
  return encodePageToken({ createdAt: new Date(startedAt).toISOString(), id })
}

function afterOf(token: string | undefined): Pick<SessionQuery, 'after'> {
  const position = token === undefined ? undefined : decodePageToken(token)
  return position ? { after: { id: position.id, startedAt: Date.parse(position.createdAt) } } : {}
}
