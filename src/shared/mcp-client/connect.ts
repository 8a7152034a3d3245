import type { AuthProvider, Client, ClientCapabilities } from '@modelcontextprotocol/client'
import { VERSION } from '../version.ts'
import { failCutRequests } from './cut-streams.ts'
import { toHostingError } from './errors.ts'
import { limitedFetch } from './limited-fetch.ts'
import { readMissingMethods } from './missing-methods.ts'

/** Open connection to an MCP server of any protocol era. */
export interface McpConnection {
  client: Client
  url: string
  /** Negotiated protocol version, for example `2026-07-28`. */
  protocolVersion: string
  /** Also ends the session on the server. Never throws. */
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Time limit per request. Default: 60,000. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Limit on each response. Default: none. */
  maxResponseBytes?: number
  /** Sent as `Authorization: Bearer …`, for protected servers. */
  token?: string
  /** Provides tokens instead of `token`, and is notified when they are rejected. */
  authProvider?: AuthProvider | undefined
  /** Capabilities of the client. `prepare` sets their handlers. Default: none. */
  capabilities?: ClientCapabilities
  /** Called before connecting, to set handlers for requests and notifications. */
  prepare?(client: Client): void
  /** Receives log messages from the server. Without it, the server sends none. */
  onLog?(level: string, data: unknown, logger?: string): void
}

const DEFAULT_TIMEOUT_MS = 60_000
/** Limit on each response to a client inside the daemon, whose memory all servers depend on. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
export const LOG_LEVEL = 'debug'
/** Time limit for ending the session, so that a dead server does not block the command. */
const CLOSE_TIMEOUT_MS = 1000

/**
 * Connects with the newest protocol version that the server supports: 2026-07-28 by `server/discover`, otherwise an older one by
 * the 2025 handshake. Throws a HostingError, see `toHostingError`.
 */
export async function connectToServer(url: string, options: ConnectOptions = {}): Promise<McpConnection> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const timeout = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: options.token ? { headers: { authorization: `Bearer ${options.token}` } } : {},
    ...(options.authProvider && { authProvider: options.authProvider }),
    ...(options.maxResponseBytes !== undefined && { fetch: limitedFetch(options.maxResponseBytes) }),
  })
  failCutRequests(transport)
  readMissingMethods(transport)
  const client = new Client(
    { name: 'mcp', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, capabilities: options.capabilities ?? {} },
  )
  client.onerror = () => {} // Relevant errors also reject their request.
  options.prepare?.(client)
  if (options.onLog)
    client.setNotificationHandler('notifications/message', ({ params }) =>
      options.onLog?.(params.level, params.data, params.logger),
    )
  try {
    await client.connect(transport, { timeout, signal: options.signal })
    if (options.onLog && client.getServerCapabilities()?.logging && client.getProtocolEra() === 'legacy')
      await client.setLoggingLevel(LOG_LEVEL, { timeout })
  } catch (error) {
    await client.close().catch(() => {}) // The first error is the one to report.
    throw toHostingError(error, url)
  }
  return {
    client,
    url,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    async close() {
      const ended = Promise.allSettled([transport.sessionId ? transport.terminateSession() : undefined])
      await Promise.race([ended, new Promise(done => setTimeout(done, CLOSE_TIMEOUT_MS).unref())])
      await client.close().catch(() => {}) // The connection is finished either way.
    },
  }
}
