import type {
  CallToolResult,
  Client,
  Prompt,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'
import { HostingError } from '../shared/errors.ts'
import { nearestName } from '../shared/names.ts'
import { VERSION } from '../shared/version.ts'
import { toHostingError } from './mcp-errors.ts'

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
  /** Log messages that the server sends while it works; only with it are they asked for. */
  onLog?(level: string, data: unknown, logger?: string): void
}

const DEFAULT_TIMEOUT_MS = 60_000
const LOG_LEVEL = 'debug'
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
  })
  const client = new Client(
    { name: 'mcp', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, capabilities: {} },
  )
  client.onerror = () => {} // What matters also rejects the request it belongs to.
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

/** Connects, works, and closes in any case. Errors of the protocol become HostingErrors. */
export async function withServer<T>(
  url: string,
  options: ConnectOptions,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToServer(url, options)
  try {
    return await work(connection)
  } catch (error) {
    throw toHostingError(error, url)
  } finally {
    await connection.close()
  }
}

// The SDK answers for a capability that a server lacks as well, but tells so on standard output.

export async function listTools({ client }: McpConnection): Promise<Tool[]> {
  return client.getServerCapabilities()?.tools ? (await client.listTools()).tools : []
}

export async function listPrompts({ client }: McpConnection): Promise<Prompt[]> {
  return client.getServerCapabilities()?.prompts ? (await client.listPrompts()).prompts : []
}

export async function listResources({ client }: McpConnection): Promise<{
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
}> {
  if (!client.getServerCapabilities()?.resources) return { resources: [], resourceTemplates: [] }
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(),
    client.listResourceTemplates(),
  ])
  return { resources, resourceTemplates }
}

/** The tool of that name. Throws NOT_FOUND with a near name or the names there are. */
export function getTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find(candidate => candidate.name === name)
  if (tool) return tool
  throw new HostingError(
    'NOT_FOUND',
    unknownName(
      'tool',
      name,
      tools.map(({ name }) => name),
    ),
  )
}

/** `There is no tool "wether": did you mean "weather"?` */
export function unknownName(kind: string, name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  if (near) return `There is no ${kind} "${name}": did you mean "${near}"?`
  if (names.length === 0) return `There is no ${kind} "${name}": the server has no ${kind}s.`
  const shown =
    names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
  return `There is no ${kind} "${name}". There are: ${shown}.`
}

export interface CallOptions extends ConnectOptions {
  onProgress?(progress: number, total: number | undefined, message: string | undefined): void
}

/** One tool call with progress and logs. A tool error is a result with `isError`, not a throw. */
export async function callTool(
  connection: McpConnection,
  name: string,
  args: Record<string, unknown>,
  options: CallOptions = {},
): Promise<CallToolResult> {
  const { LOG_LEVEL_META_KEY } = await import('@modelcontextprotocol/client')
  const wantsLogs = options.onLog && connection.client.getProtocolEra() === 'modern'
  return connection.client.callTool(
    { name, arguments: args, ...(wantsLogs ? { _meta: { [LOG_LEVEL_META_KEY]: LOG_LEVEL } } : {}) },
    {
      timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      resetTimeoutOnProgress: true,
      signal: options.signal,
      ...(options.onProgress && {
        onprogress: ({ progress, total, message }) => options.onProgress?.(progress, total, message),
      }),
    },
  )
}
