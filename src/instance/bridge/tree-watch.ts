import type { ProgramLimits } from '../../shared/instance-protocol.ts'
import { exactBytes, type ProcessTable, processesWith, readProcesses, treeUse } from './process-tree.ts'

interface Watched {
  pid: number
  limits: ProgramLimits
  /** `how` it ends, as the rest of a sentence about it. */
  onExceeded(how: string): void
}

const PERIOD_MS = 500
/** The time for a look at one program is about a tenth of this. */
const PERIOD_PER_PROGRAM_MS = 20
const MEGABYTE = 1024 * 1024
/** A process may start another one while its tree is killed. */
const KILL_ROUNDS = 20

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

/** Looks at the program's tree again and again; returns what stops that. */
export function watchTree(program: Watched): () => void {
  watched.add(program)
  if (timer === undefined) schedule()
  return () => watched.delete(program)
}

function schedule(): void {
  const periodMs = Math.max(PERIOD_MS, watched.size * PERIOD_PER_PROGRAM_MS)
  timer = watched.size === 0 ? undefined : setTimeout(look, periodMs).unref()
}

function look(): void {
  const table = readProcesses()
  for (const program of watched) check(program, table)
  schedule()
}

function check(program: Watched, table: ProcessTable): void {
  const how = excess(program, table)
  if (how === undefined) return
  watched.delete(program)
  program.onExceeded(how)
}

function excess({ pid, limits: { memoryMb, pids } }: Watched, table: ProcessTable): string | undefined {
  const { bytes, tasks } = treeUse(pid, table)
  if (tasks > pids)
    return `was killed: too many processes (it had ${tasks} with their threads, limit ${pids})`
  if (bytes <= memoryMb * MEGABYTE) return undefined
  const held = Math.round(exactBytes(pid, table) / MEGABYTE)
  return held > memoryMb ? `was killed: out of memory (it held ${held} MB, limit ${memoryMb} MB)` : undefined
}

/** Kills every process that carries the marker in its environment: what left the program's process group and its tree. */
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has just ended
  }
}
