import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgramLimits } from '../../../shared/instances/instance-protocol.ts'
import { type ControlGroups, ownControlGroups } from '../../../shared/sandbox/control-groups.ts'
import { ChildStartError } from './child-start-error.ts'

const PERIOD_US = 100_000
const MEGABYTE = 1024 * 1024
/** Processor weight of programs. The daemon and its instances have 100 (version 2) or 1024 (version 1). */
const WEIGHT = { 1: ['cpu.shares', '256'], 2: ['cpu.weight', '10'] } as const

const KILL_ROUNDS = 200
const KILL_PAUSE_MS = 10

/** Control group of a program and its descendants. Processes cannot leave it by changing their session or parent. */
export class ProgramGroup {
  /** One folder on version 2, one per controller on version 1. */
  readonly folders: readonly string[]
  readonly #limits: ProgramLimits

  /** Returns undefined when no control groups are available. Throws ChildStartError when the group cannot be created. */
  static create(name: string, limits: ProgramLimits, groups = ownControlGroups()): ProgramGroup | undefined {
    return groups && new ProgramGroup(name, limits, groups)
  }

  private constructor(name: string, limits: ProgramLimits, { version, parents }: ControlGroups) {
    this.#limits = limits
    this.folders = [...new Set(parents.values())].map(parent => join(parent, name))
    try {
      for (const folder of this.folders) mkdirSync(folder)
      for (const [controller, parent] of parents)
        for (const [file, value] of settings(version, limits)[controller])
          write(join(parent, name, file), value)
    } catch (error) {
      this.#remove()
      throw new ChildStartError(`its control group could not be created: ${(error as Error).message}`)
    }
  }

  /** Reason why the kernel killed the program, in words that complete a sentence about it. */
  get killedBecause(): string | undefined {
    const isOutOfMemory = this.folders.some(folder => /^oom_kill [1-9]/m.test(read(folder, 'memory.events')))
    return isOutOfMemory ? `was killed: out of memory (limit ${this.#limits.memoryMb} MB)` : undefined
  }

  /** Kills all remaining processes and removes the group. */
  async end(): Promise<void> {
    for (let round = 0; round < KILL_ROUNDS; round++) {
      if (this.#remove()) return
      for (const folder of this.folders) killAll(folder)
      await sleep(KILL_PAUSE_MS)
    }
  }

  #remove(): boolean {
    return this.folders.map(removeGroup).every(Boolean)
  }
}

function settings(version: 1 | 2, { memoryMb, pids, cpus }: ProgramLimits) {
  const quota = cpus === undefined ? undefined : Math.round(cpus * PERIOD_US)
  const period = String(PERIOD_US)
  const quotas = {
    1: [
      ['cpu.cfs_period_us', period],
      ['cpu.cfs_quota_us', String(quota)],
    ],
    2: [['cpu.max', `${quota} ${period}`]],
  }
  return {
    cpu: [WEIGHT[version], ...(quota === undefined ? [] : quotas[version])] as [string, string][],
    pids: [['pids.max', String(pids)]] as [string, string][],
    memory: [
      ['memory.max', String(memoryMb * MEGABYTE)],
      ['memory.oom.group', '1'],
    ] as [string, string][],
  }
}

/** Writes a setting. Ignores the error of version 1 for a quota above the parent's, because the parent's limit applies anyway. */
function write(file: string, value: string): void {
  try {
    writeFileSync(file, value)
  } catch (error) {
    if (!(file.endsWith('cpu.cfs_quota_us') && (error as NodeJS.ErrnoException).code === 'EINVAL'))
      throw error
  }
}

/**
 * Kills all processes in the group. `cgroup.kill` requires version 2 and Linux 5.14. A limit of zero processes prevents forks.
 */
function killAll(folder: string): void {
  attempt(() => writeFileSync(join(folder, 'pids.max'), '0', { flag: 'r+' }))
  if (attempt(() => writeFileSync(join(folder, 'cgroup.kill'), '1', { flag: 'r+' }))) return
  for (const group of [folder, ...subgroups(folder)])
    for (const line of read(group, 'cgroup.procs').split('\n')) {
      const pid = Number(line)
      // The kernel writes 0 for processes outside our PID namespace.
      if (pid > 1) attempt(() => process.kill(pid, 'SIGKILL'))
    }
}

/** Returns true when the group is removed. A root program without a sandbox may have created groups inside it. */
function removeGroup(folder: string): boolean {
  for (const group of [...subgroups(folder).reverse(), folder]) {
    try {
      rmdirSync(group)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
  }
  return true
}

/** Subgroups, parents before their children. */
function subgroups(folder: string): string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
    return inside.flatMap(({ name }) => [join(folder, name), ...subgroups(join(folder, name))])
  } catch {
    return [] // removed
  }
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return '' // missing in this version or kernel
  }
}

/** Returns whether `action` succeeded. */
function attempt(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
