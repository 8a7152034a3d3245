import type { EndedSessions } from '../../../shared/instances/session-reports.ts'
import { sessionHandle, sessionStart } from './session-id.ts'

/** True for a session that was ended through the API. `id` may be any text, because clients send it. */
export function isEnded(ended: EndedSessions | undefined, id: string): boolean {
  if (!ended) return false
  return sessionStart(id) <= ended.startedUntil || ended.ids.includes(sessionHandle(id))
}
