import { readdirSync, readFileSync } from 'node:fs'

/** What the processes of a tree use together. */
export interface TreeUse {
  bytes: number
  /** Processes and threads. */
  tasks: number
}

/** Children of each process of the machine, at one time. A child may come from any thread of its parent. */
export type ProcessTable = ReadonlyMap<number, readonly number[]>

export function readProcesses(): ProcessTable {
  const children = new Map<number, number[]>()
  for (const pid of listProcesses()) {
    const parent = parentOf(pid)
    if (parent === undefined) continue
    const siblings = children.get(parent)
    if (siblings) siblings.push(pid)
    else children.set(parent, [pid])
  }
  return children
}

/** The process and everything below it. Zero where the system has no /proc. */
export function treeUse(root: number, table: ProcessTable): TreeUse {
  const total = { bytes: 0, tasks: 0 }
  for (const pid of treeOf(root, table)) {
    const { bytes, tasks } = useOf(pid)
    total.bytes += bytes
    total.tasks += tasks
  }
  return total
}

/** The same memory, with pages that several processes share counted once. Slow, because the kernel walks all pages. */
export function exactBytes(root: number, table: ProcessTable): number {
  const sizes = treeOf(root, table).map(pid => proportionalBytes(pid) ?? useOf(pid).bytes)
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Processes with this text in their environment, wherever they are in the tree of processes. */
export function processesWith(marker: string): number[] {
  return listProcesses().filter(pid => read(pid, 'environ')?.includes(marker))
}

function treeOf(root: number, table: ProcessTable): number[] {
  const found = [root]
  // Grows while it is read.
  for (const pid of found) found.push(...(table.get(pid) ?? []))
  return found
}

/** The second field after the name, which may itself hold spaces and parentheses (proc_pid_stat(5)). */
function parentOf(pid: number): number | undefined {
  const stat = read(pid, 'stat')
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function useOf(pid: number): TreeUse {
  const status = read(pid, 'status') ?? ''
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return { bytes: number('VmRSS') * 1024, tasks: number('Threads') }
}

function proportionalBytes(pid: number): number | undefined {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return [] // not Linux
  }
}

/** Undefined when the process has ended or belongs to somebody else. */
function read(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
