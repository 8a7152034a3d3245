import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { ToInstance } from '../../shared/instance-protocol.ts'

/** How many processes bubblewrap puts above Node: itself, and the first process of a process namespace. */
export type Depth = 1 | 2

/**
 * Makes a child that is bubblewrap stand for Node below it. Signals go to Node, so that it can shut down cleanly, and so that
 * bubblewrap reaps what a SIGKILL ends. Only before bubblewrap has started it they go to bubblewrap itself.
 */
export function standForNode(child: ChildProcess, depth: Depth): void {
  const killWrapper = child.kill.bind(child)
  child.kill = signal => {
    const pid = hasEnded(child) ? undefined : descendantOf(child.pid!, signal === 'SIGKILL' ? 1 : depth)
    return pid === undefined ? killWrapper(signal) : sendSignal(pid, signal)
  }
  // Where somebody else ended bubblewrap, Node may still run.
  child.once('exit', () => {
    if (child.connected) child.send({ type: 'shutdown' } satisfies ToInstance, () => {})
  })
}

/** Process id of Node as the host sees it. Undefined until bubblewrap has started it. */
export function nodePid(child: ChildProcess, depth: Depth): number | undefined {
  return child.pid === undefined || hasEnded(child) ? undefined : descendantOf(child.pid, depth)
}

/** How Node ended: bubblewrap ends with 128 and the number of the signal, as a shell does. */
export function endingOfNode(
  code: number | null,
  signal: NodeJS.Signals | null,
): { code: number | null; signal: NodeJS.Signals | null } {
  const reported = code === null ? undefined : SIGNALS.get(code - 128)
  return reported ? { code: null, signal: reported } : { code, signal }
}

/** Of those that end a process. A program that exits with such a code by itself is taken for killed. */
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

/** The only child of the only child …, as deep as given. */
function descendantOf(pid: number, depth: Depth): number | undefined {
  const child = onlyChildOf(pid)
  return child === undefined || depth === 1 ? child : onlyChildOf(child)
}

function onlyChildOf(pid: number): number | undefined {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return first ? Number(first) : undefined
  } catch {
    return undefined // it has just ended
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | number | undefined): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it has just ended
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
