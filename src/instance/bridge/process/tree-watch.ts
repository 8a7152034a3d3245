import type { ProgramLimits } from '../../../shared/instances/instance-protocol.ts'
import {
  exactBytes,
  type ProcessTable,
  processesWith,
  programProcesses,
  readProcesses,
  totalUse,
} from './process-tree.ts'

interface WatchedProgram {
  pid: number
  limits: ProgramLimits
  /** Text in the environment of all the program's processes, unless they are in a sandbox. */
  marker: string | undefined
  /** `how` completes a sentence about the program. */
  onExceeded(how: string): void
}

const PERIOD_MS = 500
/** About ten times the duration of one check. */
const PERIOD_PER_PROGRAM_MS = 20
const MEGABYTE = 1024 * 1024
/** Repeated, because a process may start another while its tree is being killed. */
const KILL_ROUNDS = 20

const watched = new Set<WatchedProgram>()
let timer: NodeJS.Timeout | undefined

/** Checks the program's process tree periodically. Returns a function that stops the checks. */
export function watchTree(program: WatchedProgram): () => void {
  watched.add(program)
  if (timer === undefined) schedule()
  return () => watched.delete(program)
}

function schedule(): void {
  const periodMs = Math.max(PERIOD_MS, watched.size * PERIOD_PER_PROGRAM_MS)
  timer = watched.size === 0 ? undefined : setTimeout(checkAll, periodMs).unref()
}

function checkAll(): void {
  const table = readProcesses()
  for (const program of watched) check(program, table)
  schedule()
}

function check(program: WatchedProgram, table: ProcessTable): void {
  const how = describeExcess(program, table)
  if (how === undefined) return
  watched.delete(program)
  program.onExceeded(how)
}

function describeExcess(
  { pid, marker, limits: { memoryMb, pids } }: WatchedProgram,
  table: ProcessTable,
): string | undefined {
  const processes = programProcesses(pid, table, marker)
  const { bytes, tasks } = totalUse(processes)
  if (tasks > pids) return `was killed: too many processes (it had ${tasks} including threads, limit ${pids})`
  if (bytes <= memoryMb * MEGABYTE) return undefined
  const held = Math.round(exactBytes(processes) / MEGABYTE)
  return held > memoryMb ? `was killed: out of memory (it used ${held} MB, limit ${memoryMb} MB)` : undefined
}

/** Kills every process with the marker in its environment, including those that left the program's process group and tree. */
export function killMarked(marker: string): void {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const left = processesWith(marker)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // already gone
  }
}
