import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../shared/errors.ts'
import type { Discovery } from '../shared/paths.ts'
import { createApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { LOCAL } from './context.ts'
import { readCredentials } from './credentials.ts'

const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 10

/**
 * Asks a daemon that has just proved who it is to end, and waits until its process is gone. Without a key that it takes
 * it gets SIGTERM, which does the same.
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
    // Whatever it says to this key or route, its owner may end it: the pid is from a daemon that answered just now.
    signalTo(daemon.pid, 'SIGTERM')
  } finally {
    client.close()
  }
  await waitUntilGone(daemon, signal)
}

/** One that has ended is fine. Throws UNAVAILABLE for a process of another user. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ESRCH') return
    throw new HostingError('UNAVAILABLE', `The daemon (pid ${pid}) could not be ended (${code}).`, {
      cause,
      next: [{ description: 'End it as the user that started it', command: `kill ${pid}` }],
    })
  }
}

async function waitUntilGone(daemon: Discovery, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (isAlive(daemon.pid)) {
    if (performance.now() > deadline)
      throw new HostingError(
        'TIMEOUT',
        `The daemon (pid ${daemon.pid}) has not ended after ${STOP_TIMEOUT_MS / 1000} s.`,
        {
          next: [{ description: 'See what it waits for', command: 'mcp daemon logs' }],
        },
      )
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** In a container nobody may be there to reap an ended process; its number then stays (proc(5), /proc/pid/stat). */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''))
  } catch {
    // No /proc on this system: then there is a reaper.
    return false
  }
}
