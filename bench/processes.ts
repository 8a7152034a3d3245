import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, the same on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100

/** A pid together with the start time, because pids are reused. */
export interface ProcessId {
  pid: number
  /** Clock ticks since boot. */
  startedAt: string
}

/** All descendants of the process, without the process itself. */
export function descendantsOf(root: number): ProcessId[] {
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => readStat(Number(name)))
  const found: ProcessId[] = []
  for (let parents = new Set([root]); parents.size > 0; ) {
    const children = all.filter(({ parent }) => parents.has(parent))
    found.push(...children.map(({ pid, startedAt }) => ({ pid, startedAt })))
    parents = new Set(children.map(({ pid }) => pid))
  }
  return found
}

/** The processes that are still running. Zombies do not count. */
export function stillRunning(processes: Iterable<ProcessId>): ProcessId[] {
  return [...processes].filter(({ pid, startedAt }) =>
    readStat(pid).some(now => now.startedAt === startedAt && now.state !== 'Z'),
  )
}

interface Stat extends ProcessId {
  parent: number
  state: string
  /** User and system time in clock ticks. */
  cpuTicks: number
}

/** Empty when there is no such process. */
export function readStat(pid: number): Stat[] {
  const text = readProc(pid, 'stat')
  if (text === undefined) return []
  // The name in brackets may contain anything. The fields of proc_pid_stat(5) follow, starting with the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  return [{ pid, state: fields[0]!, parent: Number(fields[1]), startedAt: fields[19]!, cpuTicks }]
}

export interface Usage {
  residentMb: number
  /** Proportional set size: shared pages count in part. */
  proportionalMb: number
  descriptors: number
  /** Excludes libuv's thread pool, which has a fixed size and starts on first use. */
  threads: number
}

/** Undefined when the process has exited. */
export function usageOf(pid: number): Usage | undefined {
  const status = readProc(pid, 'status')
  const rollup = readProc(pid, 'smaps_rollup')
  if (status === undefined || rollup === undefined) return undefined
  try {
    return {
      residentMb: numberIn(status, /^VmRSS:\s+(\d+)/m) / 1024,
      proportionalMb: numberIn(rollup, /^Pss:\s+(\d+)/m) / 1024,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: countThreads(pid),
    }
  } catch {
    return undefined // the process exited between two reads
  }
}

function countThreads(pid: number): number {
  const names = readdirSync(`/proc/${pid}/task`).map(id => readProc(pid, `task/${id}/comm`))
  return names.filter(name => name !== undefined && name !== 'libuv-worker\n').length
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1])
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // the process has just exited
  }
}

/** Processor time in seconds that these processes have used so far. */
export function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.flatMap(readStat).reduce((sum, { cpuTicks }) => sum + cpuTicks, 0)
  return ticks / TICKS_PER_SECOND
}
