import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'

/** Time to exit after SIGTERM, and again after SIGKILL. */
const KILL_TIMEOUT_MS = 2000
const POLL_MS = 20

/** Sends SIGTERM, and SIGKILL if the process does not exit. Safe for a daemon because its state is in the database. */
export async function killProcess(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = performance.now() + KILL_TIMEOUT_MS
    sendSignal(pid, signal)
    while (performance.now() < deadline) {
      if (!isAlive(pid)) return
      await sleep(POLL_MS)
    }
  }
}

/** Ignores a process that has exited. Throws UNAVAILABLE for a process of another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ESRCH') return
    throw new HostingError('UNAVAILABLE', `Could not stop the daemon (pid ${pid}): ${code}.`, {
      cause,
      next: [{ description: 'Stop it as the user who started it', command: `kill ${pid}` }],
    })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** A container may lack an init process that reaps zombies, whose pids then remain (proc(5), /proc/pid/stat). */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''))
  } catch {
    // Systems without /proc have an init process.
    return false
  }
}
