import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'

const POLL_MS = 250
/** Time for a daemon to stop after it has closed its log streams. */
const STOP_TIMEOUT_MS = 30_000

type Place = Pick<CommandContext, 'paths' | 'settings'>

/** Identifies the running local daemon. Undefined when none is running, and for a hosted API. */
export async function daemonId({ paths, settings }: Place): Promise<string | undefined> {
  if (settings().apiUrl) return undefined
  return (await findDaemon(paths).catch(() => undefined))?.nonce
}

/**
 * Waits until a local daemon other than `previous` is running, and returns true. Calls `onStopped` once if no daemon is running
 * in between. Returns false when `previous` is undefined, when `signal` aborts, and when the previous daemon does not stop.
 */
export async function waitForRestart(
  place: Place,
  previous: string | undefined,
  { signal, onStopped }: { signal: AbortSignal; onStopped(): void },
): Promise<boolean> {
  if (previous === undefined) return false
  const deadline = performance.now() + STOP_TIMEOUT_MS
  let isStopped = false
  while (!signal.aborted) {
    const running = await daemonId(place)
    if (running === undefined && !isStopped) {
      isStopped = true
      onStopped()
    }
    if (running !== undefined && (isStopped || running !== previous)) return true
    if (!isStopped && performance.now() > deadline) return false
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
  }
  return false
}
