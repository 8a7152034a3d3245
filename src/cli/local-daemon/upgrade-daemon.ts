import { setTimeout as sleep } from 'node:timers/promises'
import type { DaemonState } from '../../shared/contract/daemon/daemon-health.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Discovery } from '../../shared/paths.ts'
import { type ApiClient, createApiClient } from '../api/client.ts'
import { LOCAL } from '../api/context.ts'
import { readCredentials } from '../api/credentials.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon } from './find-daemon.ts'
import { daemonEnvironment, daemonProgram, startDaemon } from './start-daemon.ts'
import { stopDaemon } from './stop-daemon.ts'

type DaemonContext = Pick<CommandContext, 'paths' | 'env' | 'output' | 'signal'>

/** Longer than the daemon allows for each step of an upgrade. */
const UPGRADE_TIMEOUT_MS = 120_000
const POLL_MS = 20
/** Environment variables that are settings of the daemon, except those that select another daemon. */
const SETTING_NAME = /^(?!MCP_(?:HOME|API_|CONTEXT|PORT|NAMED_))MCP_[A-Z0-9_]+$/

/**
 * Replaces the running daemon with a daemon of this version, which takes over the listening sockets, so no request fails. Stops
 * and starts a daemon that cannot be upgraded or that needs another port. Throws UNAVAILABLE when the new daemon does not start
 * serving. The old daemon then keeps running.
 */
export async function upgradeDaemon(daemon: Discovery, context: DaemonContext): Promise<Discovery> {
  const { paths, env, signal } = context
  const apiKey = readCredentials(paths.credentials).contexts[LOCAL]?.apiKey
  const client = createApiClient({ url: daemon.url, apiKey, timeoutMs: UPGRADE_TIMEOUT_MS, signal })
  try {
    if (!apiKey || (await wantsOtherPort(env, daemon, client)) || !(await requestUpgrade(client, env)))
      return await replaceDaemon(daemon, context)
    return await waitForSuccessor(daemon, client, context)
  } finally {
    client.close()
  }
}

async function replaceDaemon(daemon: Discovery, context: DaemonContext): Promise<Discovery> {
  await stopDaemon(daemon, context)
  return startDaemon(context)
}

/** False when the daemon is too old for upgrades. */
async function requestUpgrade(client: ApiClient, env: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = Object.fromEntries(
    Object.entries(daemonEnvironment(env)).filter(([name]) => SETTING_NAME.test(name)),
  )
  try {
    await client.post('/api/daemon/upgrade', { program: daemonProgram(), settings })
    return true
  } catch (error) {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return false
    throw error
  }
}

async function waitForSuccessor(
  before: Discovery,
  client: ApiClient,
  { paths, signal }: DaemonContext,
): Promise<Discovery> {
  const deadline = performance.now() + UPGRADE_TIMEOUT_MS
  while (performance.now() < deadline) {
    const found = await findDaemon(paths).catch(() => undefined) // busy with the upgrade
    if (found && found.pid !== before.pid) return found
    // The daemon's API stops before its process. The next iteration finds the successor.
    const state = found && (await client.get<DaemonState>('/api/daemon').catch(() => undefined))
    if (state) throwIfFailed(state, before)
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new HostingError('TIMEOUT', `No new daemon took over within ${UPGRADE_TIMEOUT_MS / 1000} s.`, {
    next: [{ description: 'Show the daemon log', command: 'mcp daemon logs' }],
  })
}

function throwIfFailed({ pid, upgrade }: DaemonState, before: Discovery): void {
  if (pid !== before.pid || upgrade?.status !== 'failed') return
  throw new HostingError('UNAVAILABLE', upgrade.error ?? 'The upgrade failed.', {
    next: [
      { description: 'Show the daemon log', command: 'mcp daemon logs' },
      { description: 'Stop the old daemon first', command: 'mcp daemon stop && mcp daemon start' },
    ],
  })
}

async function wantsOtherPort(
  env: NodeJS.ProcessEnv,
  { url }: Discovery,
  client: ApiClient,
): Promise<boolean> {
  const wanted = [env.MCP_PORT, env.MCP_NAMED_PORT, env.MCP_NAMED_TLS_PORT]
  if (!wanted.some(Boolean)) return false
  // Older daemons do not report their named ports.
  const state = await client.get<DaemonState>('/api/daemon').catch(() => undefined)
  const { http, https } = state?.namedPorts ?? {}
  return [Number(new URL(url).port), http, https].some((port, index) => isOther(wanted[index], port))
}

/** Port 0 means any port. */
function isOther(wanted: string | undefined, current: number | undefined): boolean {
  const port = Number(wanted ?? 0)
  return port > 0 && current !== undefined && port !== current
}
