import type {
  CallToolResult,
  Prompt,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import {
  type ConnectOptions,
  connectToServer,
  LOG_LEVEL,
  type McpConnection,
} from '../../shared/mcp-client/connect.ts'
import { toHostingError } from '../../shared/mcp-client/errors.ts'
import { nearestName } from '../../shared/names.ts'

const DEFAULT_TIMEOUT_MS = 60_000

/** Connects, runs `work`, and always closes. Turns protocol errors into HostingErrors. */
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

// The SDK returns an empty list when a server lacks a capability, but logs it to standard output.

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

/** Throws NOT_FOUND with a similar name or a list of names. */
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

/** `Unknown tool "wether". Did you mean "weather"?` */
export function unknownName(kind: string, name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  if (near) return `Unknown ${kind} "${name}". Did you mean "${near}"?`
  if (names.length === 0) return `Unknown ${kind} "${name}". The server has no ${kind}s.`
  const shown =
    names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
  return `Unknown ${kind} "${name}". Known: ${shown}.`
}

export interface CallOptions extends ConnectOptions {
  onProgress?(progress: number, total: number | undefined, message: string | undefined): void
}

/** Calls a tool with progress and logs. A tool error is a result with `isError`. */
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
