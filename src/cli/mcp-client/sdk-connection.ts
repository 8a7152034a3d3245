import {
  type ConnectOptions,
  connectToServer,
  LOG_LEVEL,
  type McpConnection,
} from '../../shared/mcp-client/connect.ts'
import { toHostingError } from '../../shared/mcp-client/errors.ts'
import { META } from '../../shared/modern-envelope.ts'
import { ignoreMissingList } from './missing-list.ts'
import type { ServerConnection } from './server-connection.ts'

/** Connects with the SDK's client, runs `work`, and always closes the connection. Throws errors as HostingError. */
export async function withSdkServer<T>(
  url: string,
  options: ConnectOptions,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToServer(url, options)
  try {
    return await work(sdkConnection(connection, options))
  } catch (error) {
    throw toHostingError(error, url)
  } finally {
    await connection.close()
  }
}

function sdkConnection({ client }: McpConnection, options: ConnectOptions): ServerConnection {
  const request = { timeout: options.timeoutMs, signal: options.signal }
  // The SDK returns an empty list when a server lacks a capability, but logs a message to standard output.
  const has = (capability: 'tools' | 'prompts' | 'resources') => client.getServerCapabilities()?.[capability]
  const wantsLog = options.onLog && client.getProtocolEra() === 'modern'
  return {
    listTools: async () => (has('tools') ? (await client.listTools({}, request)).tools : []),
    listPrompts: async () => (has('prompts') ? (await client.listPrompts({}, request)).prompts : []),
    async listResources() {
      if (!has('resources')) return { resources: [], resourceTemplates: [] }
      const [listed, listedTemplates] = await Promise.all([
        client.listResources({}, request).catch(ignoreMissingList),
        client.listResourceTemplates({}, request).catch(ignoreMissingList),
      ])
      return {
        resources: listed?.resources ?? [],
        resourceTemplates: listedTemplates?.resourceTemplates ?? [],
      }
    },
    callTool: ({ name }, args, onProgress) =>
      client.callTool(
        { name, arguments: args, ...(wantsLog ? { _meta: { [META.logLevel]: LOG_LEVEL } } : {}) },
        {
          ...request,
          resetTimeoutOnProgress: true,
          ...(onProgress && {
            onprogress: ({ progress, total, message }) => onProgress(progress, total, message),
          }),
        },
      ),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }, request),
    readResource: uri => client.readResource({ uri }, request),
  }
}
