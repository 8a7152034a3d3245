import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ServerConnection } from '../mcp-client/server-connection.ts'
import { withServer } from '../mcp-client/with-server.ts'
import { type RegisteredClient, withSignIn } from '../sign-in/server-auth.ts'
import type { ServerInput } from './server-input.ts'
import { type ChosenTarget, chooseTarget, type ServerTarget, type TargetChoice } from './server-target.ts'

/** Connects to the server, runs `work` and closes the connection. The server's logs go to standard error. */
export async function useServer<T>(
  context: CommandContext,
  input: ServerInput,
  work: (connection: ServerConnection, target: ChosenTarget) => Promise<T>,
  choice?: TargetChoice,
): Promise<T> {
  const client = givenClient(context, input)
  const target = await chooseTarget(context, input, choice)
  const { globals, signal } = context
  const { token } = input
  const options = { timeoutMs: globals.timeout, signal, onLog: logToStderr(context) }
  const use = (connection: ServerConnection) => work(connection, target)
  try {
    if (token !== undefined) return await withServer(target.url, { ...options, token }, use)
    return await withSignIn(context, { ...target, client }, authProvider =>
      withServer(target.url, { ...options, authProvider }, use),
    )
  } catch (error) {
    throw withLogStep(error, target)
  }
}

/** Client of `--client-id`. Throws INVALID_REQUEST for an invalid port, and for a port without a client id. */
function givenClient(
  { env }: CommandContext,
  { clientId, callbackPort }: ServerInput,
): RegisteredClient | undefined {
  if (clientId === undefined && callbackPort !== undefined)
    throw new HostingError('INVALID_REQUEST', '--callback-port requires --client-id.')
  if (callbackPort !== undefined && (callbackPort < 1 || callbackPort > 65_535))
    throw new HostingError('INVALID_REQUEST', `--callback-port is ${callbackPort}, expected 1 to 65535.`)
  return clientId === undefined
    ? undefined
    : { id: clientId, secret: env.MCP_CLIENT_SECRET, port: callbackPort }
}

/** Suggests the log of an unavailable server that the API hosts, because the log explains the failure. */
function withLogStep(error: unknown, { id }: ServerTarget): unknown {
  if (!(error instanceof HostingError) || error.code !== 'UNAVAILABLE' || !id) return error
  const next = [{ description: 'Show its log', command: `mcp logs ${id}` }]
  return new HostingError(error.code, error.message, { next, cause: error.cause })
}

/** `[info] weather: Comparing Oslo, Lima` on standard error. */
function logToStderr({ output }: CommandContext) {
  return (level: string, data: unknown, logger?: string) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    output.note(`[${level}] ${logger ? `${logger}: ` : ''}${text}`)
  }
}
