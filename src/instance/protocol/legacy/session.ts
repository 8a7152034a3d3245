import type { LogLevel } from '../../../shared/definitions/definitions.ts'
import type { SseResponse } from '../../http/sse-response.ts'
import type { CallerSession, ClientFacts } from '../../server/client-context.ts'
import type { LegacyRevision } from '../revisions.ts'
import type { RunningRequests } from '../running-requests.ts'
import type { ResumableStream } from './event-store.ts'
import type { ServerRequests } from './server-requests.ts'

/** A legacy client between `initialize` and DELETE. */
export interface Session {
  id: string
  /** User that the session belongs to, if users sign in. */
  owner: string | undefined
  /** Identifies the session in logs, where the full id would let a reader take it over. */
  label: string
  revision: LegacyRevision
  /** Undefined until `logging/setLevel`. Until then, all messages are sent. */
  logLevel: LogLevel | undefined
  /** Time of `initialize`, in Unix milliseconds. */
  startedAt: number
  /** Number of the session's requests that this instance has received. */
  requests: number
  lastSeenAt: number
  /** Time when another instance last reported that it serves the session too. Undefined when none does. */
  usedElsewhereAt: number | undefined
  running: RunningRequests
  stream: SseResponse | undefined
  /** Messages for the GET stream, kept while there is none. */
  outbox: ResumableStream | undefined
  client: ClientFacts
  /** Aborted when the session ends. Created on first use. */
  ended: AbortController | undefined
  /** Requests that the server sent to the client. */
  serverRequests: ServerRequests | undefined
  caller: CallerSession | undefined
  /** URIs that the client subscribed to. */
  subscriptions: Set<string> | undefined
}
