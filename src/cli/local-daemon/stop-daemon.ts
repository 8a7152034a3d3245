import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { Discovery, HomePaths } from '../../shared/paths.ts'
import { createApiClient } from '../api/client.ts'
import { LOCAL } from '../api/context.ts'
import { readCredentials } from '../api/credentials.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon } from './find-daemon.ts'
import { findHolder, type Holder, holderError, isDaemon } from './home-holder.ts'
import { isAlive, killProcess, sendSignal } from './process.ts'
import { startDaemon } from './start-daemon.ts'

type DaemonContext = Pick<CommandContext, 'paths' | 'signal'>

const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 10

/**
 * Kills the daemon that holds the home's lock and does not respond. Returns the killed process, if there was one. Throws CONFLICT
 * when another program holds the lock, and rethrows `hung` when the system does not report the holder.
 */
export async function killHungDaemon(paths: HomePaths, hung?: HostingError): Promise<Holder | undefined> {
  const holder = findHolder(paths)
  if (!holder && hung) throw hung
  if (!holder) return undefined
  if (!isDaemon(holder)) throw holderError(holder, paths)
  await killProcess(holder.pid)
  return holder
}

/**
 * Stops the daemon of the home, hung or not. Returns the process if it had to be killed, otherwise whether a daemon was running.
 */
export async function stopAnyDaemon(context: DaemonContext): Promise<boolean | Holder> {
  const { daemon, hung } = await findDaemonOrTimeout(context.paths)
  if (!daemon) return (await killHungDaemon(context.paths, hung)) ?? false
  await stopDaemon(daemon, context)
  return true
}

/** Runs `work` while no daemon is running. If `work` fails, a daemon that was running is started again. */
export async function withDaemonStopped<T>(context: CommandContext, work: () => Promise<T>): Promise<T> {
  const ran = await stopAnyDaemon(context)
  try {
    return await work()
  } catch (error) {
    if (ran) await startDaemon(context).catch(() => {}) // the next command reports why
    throw error
  }
}

/** The daemon, or as `hung` the timeout error of a daemon that does not respond. Throws any other error. */
export async function findDaemonOrTimeout(
  paths: HomePaths,
): Promise<{ daemon?: Awaited<ReturnType<typeof findDaemon>>; hung?: HostingError }> {
  try {
    return { daemon: await findDaemon(paths) }
  } catch (error) {
    if (error instanceof HostingError && error.code === 'TIMEOUT') return { hung: error }
    throw error
  }
}

/**
 * Asks a verified daemon to stop and waits until its process is gone. Sends SIGTERM if the request fails, for example because the
 * daemon does not accept the key.
 */
export async function stopDaemon(
  daemon: Discovery,
  { paths, signal }: Pick<CommandContext, 'paths' | 'signal'>,
): Promise<void> {
  const apiKey = readCredentials(paths.credentials).contexts[LOCAL]?.apiKey
  const client = createApiClient({ url: daemon.url, apiKey, timeoutMs: STOP_TIMEOUT_MS, signal })
  try {
    await client.post('/api/daemon/stop')
  } catch {
    // The owner of the process may stop it without a key. The daemon has just proved its identity, so the pid is current.
    sendSignal(daemon.pid, 'SIGTERM')
  } finally {
    client.close()
  }
  await waitUntilGone(daemon, signal)
}

async function waitUntilGone(daemon: Discovery, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (isAlive(daemon.pid)) {
    if (performance.now() > deadline)
      throw new HostingError(
        'TIMEOUT',
        `The daemon (pid ${daemon.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s.`,
        {
          next: [{ description: 'Show what it is waiting for', command: 'mcp daemon logs' }],
        },
      )
    await sleep(POLL_MS, undefined, { signal })
  }
}
