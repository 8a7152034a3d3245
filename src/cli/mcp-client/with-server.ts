import type { ConnectOptions } from '../../shared/mcp-client/connect.ts'
import { toHostingError } from '../../shared/mcp-client/errors.ts'
import { isLoopback } from '../api/transport.ts'
import { ModernClient, SdkRequiredError } from './modern-client.ts'
import { modernConnection } from './modern-connection.ts'
import type { ServerConnection } from './server-connection.ts'

const DEFAULT_TIMEOUT_MS = 60_000

/**
 * Runs `work` with a connection to the server, and again with the SDK's client if the server requires it. Throws errors
 * as HostingError.
 */
export async function withServer<T>(
  url: string,
  given: ConnectOptions,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const options = { timeoutMs: DEFAULT_TIMEOUT_MS, ...given }
  try {
    if (isLocal(url)) return await work(await openModern(url, options))
  } catch (error) {
    if (!(error instanceof SdkRequiredError)) throw toHostingError(error, url)
  }
  const { withSdkServer } = await import('./sdk-connection.ts')
  return withSdkServer(url, options, work)
}

/** True for plain HTTP on this machine. Other URLs may need a proxy. */
function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && isLoopback(hostname)
}

async function openModern(
  url: string,
  { token, authProvider, ...options }: ConnectOptions & { timeoutMs: number },
): Promise<ServerConnection> {
  const client = new ModernClient(url, { ...options, token: token ?? (await authProvider?.token()) })
  return modernConnection(client, { hasLog: options.onLog !== undefined })
}
