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
  /** Version of the release that begins with this line. */
  release?: number
  /** Phase of a container build. */
  phase?: string
  method?: string
  tool?: string
  ms?: number
  outcome?: 'ok' | 'error'
  /** Why the request failed. */
  reason?: string
  requestId?: string
  sessionId?: string
  bytes?: number
  /** Redacted arguments of the request. Only if messages are logged, by default in development. */
  arguments?: unknown
}
