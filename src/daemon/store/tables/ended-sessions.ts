import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import { ENDED_SESSIONS_KEPT_MS, type EndedSessions } from '../../../shared/instances/session-reports.ts'
import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

interface EndedSession {
  server: string
  environment: StoreEnvironment
  /** Handle of the session. Empty for all sessions that started until `endedAt`. */
  session: string
  /** Unix seconds. */
  endedAt: number
}

/** Maximum number of ended sessions that are sent to an instance when it starts. */
const MAX_ENDED = 1000

/** MCP sessions that were ended through the API, kept as long as an instance could take them over. */
export class EndedSessionStore extends TableStore<EndedSession> {
  constructor(database: Database) {
    super(database, 'ended_sessions')
  }

  /** Undefined when there are none. `now`: Unix milliseconds. */
  find(server: string, environment: StoreEnvironment, now: number): EndedSessions | undefined {
    const rows = this.table.list(
      "WHERE server = ? AND environment = ? AND ended_at > ? ORDER BY session = '' DESC, ended_at DESC LIMIT ?",
      [server, environment, expiryOf(now), MAX_ENDED],
    )
    if (rows.length === 0) return undefined
    return {
      ids: rows.map(({ session }) => session).filter(session => session !== ''),
      startedUntil: rows.find(({ session }) => session === '')?.endedAt ?? 0,
    }
  }

  /** Also removes expired records. */
  add(
    server: string,
    environment: StoreEnvironment,
    { ids, startedUntil }: EndedSessions,
    now: number,
  ): void {
    const endedAt = Math.floor(now / 1000)
    this.database.transaction(() => {
      this.table.remove('ended_at <= ?', [expiryOf(now)])
      for (const session of ids) this.#put({ server, environment, session, endedAt })
      if (startedUntil > 0) this.#put({ server, environment, session: '', endedAt: startedUntil })
    })
  }

  #put(ended: EndedSession): void {
    this.table.insert(
      ended,
      'ON CONFLICT (server, environment, session) DO UPDATE SET ended_at = excluded.ended_at',
    )
  }
}

function expiryOf(now: number): number {
  return Math.floor((now - ENDED_SESSIONS_KEPT_MS) / 1000)
}
