import { setTimeout as sleep } from 'node:timers/promises'
import type { DaemonState } from '../shared/daemon-health.ts'
import { HostingError } from '../shared/errors.ts'
import type { Discovery } from '../shared/paths.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { LOCAL } from './context.ts'
import { readCredentials } from './credentials.ts'
import { daemonProgram, findDaemon, startDaemon } from './daemon-client.ts'
import { stopDaemon } from './stop-daemon.ts'

type Surroundings = Pick<CommandContext, 'paths' | 'env' | 'output' | 'signal'>

/** Longer than the daemon gives each of its steps. */
const UPGRADE_MS = 120_000
const POLL_MS = 20
/** What a daemon is told by its environment, but for what chooses another one. */
const SETTING = /^(?!MCP_(?:HOME|API_|CONTEXT|PORT|NAMED_))MCP_[A-Z0-9_]+$/

/**
 * Puts a daemon of this version in the place of the one that runs: it inherits the listening sockets, so no request fails.
 * A daemon that knows nothing of that, or is to get other ports, is stopped and started. Throws UNAVAILABLE when the new
 * one does not come to serve; the old one then goes on.
 */
export async function upgradeDaemon(daemon: Discovery, surroundings: Surroundings): Promise<Discovery> {
  const { paths, env, signal } = surroundings
  const apiKey = readCredentials(paths.credentials).contexts[LOCAL]?.apiKey
  const client = createApiClient({ url: daemon.url, apiKey, timeoutMs: UPGRADE_MS, signal })
  try {
    if (!apiKey || wantsOtherPort(env, daemon) || !(await asked(client, env)))
      return await replaceDaemon(daemon, surroundings)
    return await awaitHeir(daemon, client, surroundings)
  } finally {
    client.close()
  }
}

async function replaceDaemon(daemon: Discovery, surroundings: Surroundings): Promise<Discovery> {
  await stopDaemon(daemon, surroundings)
  return startDaemon(surroundings)
}

/** False when the daemon is older than upgrades are. */
async function asked(client: ApiClient, env: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = Object.fromEntries(Object.entries(env).filter(([name]) => SETTING.test(name)))
  try {
    await client.post('/api/daemon/upgrade', { program: daemonProgram(), settings })
    return true
  } catch (error) {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return false
    throw error
  }
}

async function awaitHeir(
  before: Discovery,
  client: ApiClient,
  { paths, signal }: Surroundings,
): Promise<Discovery> {
  const deadline = performance.now() + UPGRADE_MS
  while (performance.now() < deadline) {
    const found = await findDaemon(paths).catch(() => undefined) // busy with the hand-over
    if (found && found.pid !== before.pid) return found
    // Its API ends before it does: then the next look tells.
    const state = found && (await client.get<DaemonState>('/api/daemon').catch(() => undefined))
    if (state) throwIfFailed(state, before)
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new HostingError('TIMEOUT', `No new daemon took over within ${UPGRADE_MS / 1000} s.`, {
    next: [{ description: 'See why', command: 'mcp daemon logs' }],
  })
}

function throwIfFailed({ pid, upgrade }: DaemonState, before: Discovery): void {
  if (pid !== before.pid || upgrade?.status !== 'failed') return
  throw new HostingError('UNAVAILABLE', upgrade.error ?? 'The upgrade failed.', {
    next: [
      { description: 'See why', command: 'mcp daemon logs' },
      { description: 'End the old one first', command: 'mcp daemon stop && mcp daemon start' },
    ],
  })
}

function wantsOtherPort({ MCP_PORT: port }: NodeJS.ProcessEnv, { url }: Discovery): boolean {
  return port !== undefined && port !== '' && port !== '0' && port !== new URL(url).port
}
