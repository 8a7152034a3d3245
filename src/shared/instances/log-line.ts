/** One line of a deployment's log file, as JSON. */
export interface LogLine {
  timestamp: string
  level: 'debug' | 'info' | 'warn' | 'error'
  /** `server`: the instance itself. `mcp`: one line per request. `stdout`/`stderr`: output of user code. */
  stream: 'server' | 'mcp' | 'stdout' | 'stderr'
  message: string
  /** Added by the reader from the file name. */
  instance?: string
  /** Added by the reader of several deployments' logs. */
  deployment?: string
  /** Added by the reader. */
  at?: LinePosition
  /** Version of the release that begins with this line. */
  release?: number
  /** Phase of a container build. */
  phase?: string
  method?: string
  tool?: string
  ms?: number
  outcome?: 'ok' | 'error' | 'cancelled'
  /** HTTP status of a request that was refused before it reached the server. */
  status?: number
  /** Code of the JSON-RPC error. */
  code?: number
  /** Why the request failed. */
  reason?: string
  requestId?: string
  sessionId?: string
  /** Size of the answer. */
  bytes?: number
  requestBytes?: number
  /** Signed-in user. */
  caller?: string
  /** Id of the record that the request replays, as sent by the client. */
  replayOf?: string
  /** Redacted arguments of the request, as text if truncated. Only if bodies are recorded, by default in development. */
  arguments?: unknown
  /** Redacted JSON-RPC answer, as text if truncated. */
  answer?: unknown
  /** The bodies of this minute exceeded their limit. */
  bodies?: 'omitted'
}

/** Place of a line in the log of its instance: number of the segment and offset of its first byte. */
export interface LinePosition {
  segment: number
  offset: number
}

/** Replaces secrets in log lines. */
export const REDACTED_TEXT = '[redacted]'

/** Member of `_meta` in which a replay names the record that it repeats. */
export const REPLAY_OF = 'mcp-hosting/replay-of'
