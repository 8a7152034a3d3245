import type { AuthProvider, Client, ClientCapabilities } from '@modelcontextprotocol/client'
import { failCutRequests } from './cut-streams.ts'
import { toHostingError } from './mcp-errors.ts'
import { VERSION } from './version.ts'

/** An open connection to one MCP server, in whichever protocol era both sides speak. */
export interface McpConnection {
  client: Client
  url: string
  /** Revision both sides agreed on, for example `2026-07-28`. */
  protocolVersion: string
  /** Ends the session on the server as well. Never throws. */
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Per request, in milliseconds; default 60,000. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Sent as `Authorization: Bearer …`, for protected servers. */
  token?: string
  /** Gives the token instead, and hears of refusals. */
  authProvider?: AuthProvider | undefined
  /** What the client can be asked for, with the handlers that `prepare` sets; none by default. */
  capabilities?: ClientCapabilities
  /** Before the connection is made, for handlers of requests and notifications. */
  prepare?(client: Client): void
  /** Log messages that the server sends while it works; only with it are they asked for. */
  onLog?(level: string, data: unknown, logger?: string): void
}

const DEFAULT_TIMEOUT_MS = 60_000
export const LOG_LEVEL = 'debug'
/** How long a goodbye may take: a server that is gone must not keep the command. */
const CLOSE_TIMEOUT_MS = 1000

/**
 * Connects to `url` with the newest protocol revision that the server speaks: 2026-07-28 by `server/discover`, else the
 * 2025-era handshake. Throws UNAVAILABLE, UNAUTHORIZED, NOT_FOUND, TIMEOUT or UPSTREAM_FAILED.
 */
export async function connectToServer(url: string, options: ConnectOptions = {}): Promise<McpConnection> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const timeout = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: options.token ? { headers: { authorization: `Bearer ${options.token}` } } : {},
    ...(options.authProvider && { authProvider: options.authProvider }),
  })
  failCutRequests(transport)
  const client = new Client(
    { name: 'mcp', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, capabilities: options.capabilities ?? {} },
  )
  client.onerror = () => {} // What matters also rejects the request it belongs to.
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
    await client.close().catch(() => {}) // The error at hand is the one to tell.
    throw toHostingError(error, url)
  }
  return {
    client,
    url,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    async close() {
      const goodbye = Promise.allSettled([transport.sessionId ? transport.terminateSession() : undefined])
      await Promise.race([goodbye, new Promise(done => setTimeout(done, CLOSE_TIMEOUT_MS).unref())])
      await client.close().catch(() => {}) // Nothing is left to be done about a connection that is over.
    },
  }
}
