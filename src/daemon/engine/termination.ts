import type { ChildProcess } from 'node:child_process'

export interface TerminationDelays {
  /** Time between the shutdown request and SIGTERM. */
  requestMs: number
  /** Time between SIGTERM and SIGKILL. */
  terminateMs: number
}

const TERMINATION_DELAYS: TerminationDelays = { requestMs: 3000, terminateMs: 2000 }

/** Sends a shutdown request, then SIGTERM, then SIGKILL. Resolves when the process has exited. */
export async function terminate(
  child: ChildProcess,
  requestShutdown: () => void,
  delays: TerminationDelays = TERMINATION_DELAYS,
): Promise<void> {
  if (hasEnded(child)) return
  const exited = new Promise<true>(resolve => child.once('exit', () => resolve(true)))
  const steps: [act: () => void, delayMs: number][] = [
    [requestShutdown, delays.requestMs],
    [() => child.kill('SIGTERM'), delays.terminateMs],
  ]
  for (const [act, delayMs] of steps) {
    act()
    if (await exitsWithin(exited, delayMs)) return
  }
  child.kill('SIGKILL')
  await exited
}

/** A process that never started has no pid and will not emit `exit`. */
function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

async function exitsWithin(exited: Promise<true>, delayMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const delay = new Promise<false>(resolve => {
    timer = setTimeout(resolve, delayMs, false)
  })
  try {
    return await Promise.race([exited, delay])
  } finally {
    clearTimeout(timer)
  }
}
