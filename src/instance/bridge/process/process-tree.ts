import { readdirSync, readFileSync } from 'node:fs'

interface Use {
  bytes: number
  /** Processes and threads. */
  tasks: number
}

/** Children of every process on the machine, as a snapshot. The thread that started a child does not matter. */
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

/**
 * A process and its descendants. Orphans become children of one of the process's ancestors and are identified by `marker` in
 * their environment. `marker` is undefined when orphans stay in the tree, as in a sandbox.
 */
export function programProcesses(root: number, table: ProcessTable, marker?: string): number[] {
  const orphans = marker === undefined ? [] : orphansOf(root, table, marker)
  return [...new Set([root, ...orphans].flatMap(pid => treeOf(pid, table)))]
}

function orphansOf(root: number, table: ProcessTable, marker: string): number[] {
  const adopted = ancestorsOf(root).flatMap(ancestor => table.get(ancestor) ?? [])
  return adopted.filter(pid => read(pid, 'environ')?.includes(marker))
}

function ancestorsOf(pid: number): number[] {
  const parent = parentOf(pid) ?? 0
  return parent === 0 ? [] : [parent, ...ancestorsOf(parent)]
}

/** Total usage of these processes. Zero on systems without /proc. */
export function totalUse(pids: readonly number[]): Use {
  const total = { bytes: 0, tasks: 0 }
  for (const pid of pids) {
    const { bytes, tasks } = useOf(pid)
    total.bytes += bytes
    total.tasks += tasks
  }
  return total
}

/** Memory, with each shared page divided among the processes that share it. Slow, because the kernel walks all pages. */
export function exactBytes(pids: readonly number[]): number {
  const sizes = pids.map(pid => proportionalBytes(pid) ?? useOf(pid).bytes)
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Processes with this text in their environment, anywhere in the process tree. */
export function processesWith(marker: string): number[] {
  return listProcesses().filter(pid => read(pid, 'environ')?.includes(marker))
}

function treeOf(root: number, table: ProcessTable): number[] {
  const found = [root]
  // The list grows during the loop.
  for (const pid of found) found.push(...(table.get(pid) ?? []))
  return found
}

/** Parent process id: the second field after the name, which may contain spaces and parentheses (proc_pid_stat(5)). */
function parentOf(pid: number): number | undefined {
  const stat = read(pid, 'stat')
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function useOf(pid: number): Use {
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

/** Undefined when the process has stopped or belongs to another user. */
function read(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
