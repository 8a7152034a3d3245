import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'
import type { CommandContext } from './command-context.ts'
import { findDaemon, startDaemon } from './daemon-client.ts'
import { findHolder, type Holder, holderError, isDaemon } from './home-holder.ts'
import { isAlive, signalTo, stopDaemon } from './stop-daemon.ts'

type Surroundings = Pick<CommandContext, 'paths' | 'signal'>

/** After SIGTERM, and again after SIGKILL. */
const END_MS = 2000
const POLL_MS = 20

/**
 * Ends the daemon that holds the home and does not answer; gives the process that was ended, undefined where there is none.
 * Throws CONFLICT when what holds the home is another program, and rethrows `hung` where the system does not tell who does.
 */
export async function endHungDaemon(paths: HomePaths, hung?: HostingError): Promise<Holder | undefined> {
  const holder = findHolder(paths)
  if (!holder && hung) throw hung
  if (!holder) return undefined
  if (!isDaemon(holder)) throw holderError(holder, paths)
  await endProcess(holder.pid)
  return holder
}

/** Ends the daemon of the home, however it is; whether there was one, or the process when it had to be killed for want of an answer. */
export async function endDaemon(context: Surroundings): Promise<boolean | Holder> {
  const { daemon, hung } = await findDaemonOrHung(context.paths)
  if (!daemon) return (await endHungDaemon(context.paths, hung)) ?? false
  await stopDaemon(daemon, context)
  return true
}

/** Does what needs the home for itself. When it fails, a daemon that ran runs again: its servers are not to go down for that. */
export async function whileStopped<T>(context: CommandContext, work: () => Promise<T>): Promise<T> {
  const ran = await endDaemon(context)
  try {
    return await work()
  } catch (error) {
    if (ran) await startDaemon(context).catch(() => {}) // the next command tells why it does not
    throw error
  }
}

/** The error of a daemon that does not answer in time, instead of a daemon. Rejects with every other one. */
export async function findDaemonOrHung(
  paths: HomePaths,
): Promise<{ daemon?: Awaited<ReturnType<typeof findDaemon>>; hung?: HostingError }> {
  try {
    return { daemon: await findDaemon(paths) }
  } catch (error) {
    if (error instanceof HostingError && error.code === 'TIMEOUT') return { hung: error }
    throw error
  }
}

/** SIGTERM, and SIGKILL for what does not take it: all that a daemon must know is in its database. */
export async function endProcess(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = performance.now() + END_MS
    signalTo(pid, signal)
    while (performance.now() < deadline) {
      if (!isAlive(pid)) return
      await sleep(POLL_MS)
    }
  }
}
