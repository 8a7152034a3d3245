import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { type Check, type Finding, fail, pass, warn } from '../../shared/check.ts'
import { HostingError } from '../../shared/errors.ts'
import { isSupportedNode, NODE_VERSIONS } from '../../shared/supported-node.ts'
import { VERSION } from '../../shared/version.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'

const DEFAULT_PORT = 6273

export const NODE_CHECK: Check<CommandContext> = { name: 'node', run: () => [checkNode()] }

/** Checks of the daemon, its port and the API in use. */
export const DAEMON_CHECKS: readonly Check<CommandContext>[] = [
  { name: 'daemon', run: async context => [await checkDaemon(context)] },
  { name: 'port', run: async context => [await checkPort(context)] },
  { name: 'api', run: async context => [await checkApi(context)] },
]

function checkNode(): Finding {
  return isSupportedNode(process.version)
    ? pass(`Node.js ${process.version}`)
    : fail(`Node.js ${process.version} is not supported`, `Install ${NODE_VERSIONS}`)
}

async function checkDaemon({ paths }: CommandContext): Promise<Finding> {
  try {
    const daemon = await findDaemon(paths)
    if (!daemon) {
      return existsSync(paths.discovery)
        ? warn(
            'is not running, although it was never stopped',
            'Start the daemon to restore all deployments',
            'mcp daemon start',
          )
        : pass('is not running (started on demand)')
    }
    if (daemon.version === VERSION)
      return pass(`running at ${daemon.url}, version ${VERSION}, pid ${daemon.pid}`)
    return warn(`has version ${daemon.version}, mcp has ${VERSION}`, 'Restart it', 'mcp daemon restart')
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return error.code === 'TIMEOUT'
      ? fail(error.message, 'Restart it', 'mcp daemon restart')
      : fail(error.message, 'Replace a damaged file', 'mcp doctor --fix')
  }
}

/** Checks the port, which only needs to be free while no daemon is running. */
async function checkPort({ env, paths }: CommandContext): Promise<Finding> {
  const port = Number(env.MCP_PORT || DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return fail(`MCP_PORT is "${env.MCP_PORT}"`, 'Set it to a number from 0 to 65535, or unset it')
  const daemon = await findDaemon(paths).catch(() => undefined) // reported by checkDaemon
  if (daemon) return pass(`${new URL(daemon.url).port} is used by the daemon`)
  const code = await tryListen(port)
  if (code === undefined) return pass(port === 0 ? 'any free port' : `${port} is free`)
  return fail(
    `${port} cannot be used (${code}): ${code === 'EADDRINUSE' ? 'another program uses it' : 'the system refuses it'}`,
    'Stop that program, or choose another port',
    'MCP_PORT=6274 mcp daemon start',
  )
}

/** The error code. Undefined if the port is free. */
function tryListen(port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)))
  })
}

/** A hosted API must be reachable and accept the key. The local daemon is not started for a check. */
async function checkApi(context: CommandContext): Promise<Finding> {
  try {
    return await checkApiInUse(context)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return fail(error.message, 'Replace a damaged configuration', 'mcp doctor --fix')
  }
}

async function checkApiInUse(context: CommandContext): Promise<Finding> {
  const { apiUrl, context: name } = context.settings()
  if (!apiUrl && !(await findDaemon(context.paths).catch(() => undefined)))
    return pass('the local daemon, which is not running')
  try {
    const api = await context.api()
    const key = await api.get<{ name?: string; scopes?: string[] }>('/api/deployments/api-key/info')
    return pass(`${api.url} accepts the key "${key.name}" (${key.scopes?.join(', ')})`)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    const where = `context ${name.value}: ${error.message}`
    return error.code === 'UNAUTHORIZED'
      ? fail(where, 'Sign in again', 'mcp login')
      : fail(where, 'Show the API in use', 'mcp context show')
  }
}
