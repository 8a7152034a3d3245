import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { ToInstance } from '../../shared/instances/instance-protocol.ts'

/** Number of processes above Node: bubblewrap, and the init process of its PID namespace if there is one. */
export type Depth = 1 | 2

/**
 * Redirects signals from bubblewrap to Node below it, so that Node can shut down cleanly and bubblewrap reaps a killed
 * process. Until bubblewrap has started Node, signals go to bubblewrap.
 */
export function redirectSignalsToNode(child: ChildProcess, depth: Depth): void {
  const killWrapper = child.kill.bind(child)
  child.kill = signal => {
    const pid = hasExited(child) ? undefined : descendantOf(child.pid!, signal === 'SIGKILL' ? 1 : depth)
    return pid === undefined ? killWrapper(signal) : sendSignal(pid, signal)
  }
  // If bubblewrap was killed from outside, Node may still run.
  child.once('exit', () => {
    if (child.connected) child.send({ type: 'shutdown' } satisfies ToInstance, () => {})
  })
}

/** Process id of Node as the host sees it. Undefined while Node is not running. */
export function nodePid(child: ChildProcess, depth: Depth): number | undefined {
  return child.pid === undefined || hasExited(child) ? undefined : descendantOf(child.pid, depth)
}

/** Exit code or signal of Node. Like a shell, bubblewrap exits with 128 plus the signal number. */
export function endingOfNode(
  code: number | null,
  signal: NodeJS.Signals | null,
): { code: number | null; signal: NodeJS.Signals | null } {
  const reported = code === null ? undefined : SIGNALS.get(code - 128)
  return reported ? { code: null, signal: reported } : { code, signal }
}

/** Fatal signals by number. A program that exits with 128 plus such a number counts as killed. */
const SIGNALS = new Map<number, NodeJS.Signals>(
  (
    [
      'SIGABRT',
      'SIGBUS',
      'SIGFPE',
      'SIGILL',
      'SIGKILL',
      'SIGSEGV',
      'SIGSYS',
      'SIGTERM',
      'SIGTRAP',
      'SIGXCPU',
    ] as const
  ).map(name => [constants.signals[name], name]),
)

function descendantOf(pid: number, depth: Depth): number | undefined {
  const child = onlyChildOf(pid)
  return child === undefined || depth === 1 ? child : onlyChildOf(child)
}

function onlyChildOf(pid: number): number | undefined {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return first ? Number(first) : undefined
  } catch {
    return undefined // the process has just exited
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | number | undefined): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it has just exited
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
