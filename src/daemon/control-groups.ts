import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  DAEMON_GROUP,
  ownControlGroups,
  PROGRAM_GROUP,
  unifiedFolder,
} from '../shared/sandbox/control-groups.ts'

/** Prepares limits for programs before the first one starts. Ignores failed steps. `mcp doctor` reports the limits in force. */
export function prepareControlGroups(): void {
  if (process.platform !== 'linux') return
  const own = unifiedFolder()
  if (own !== undefined) attempt(() => enableControllers(own))
  for (const parent of new Set(ownControlGroups()?.parents.values())) attempt(() => removeAbandoned(parent))
}

/**
 * Enables limits for the cgroup v2 groups of programs, next to the daemon's group. Does so only in a group that systemd or a
 * container runtime gave to this daemon alone. Newer versions of systemd have already put the daemon into a subgroup
 * (`DelegateSubgroup=`).
 */
export function enableControllers(own: string): void {
  const isBelow = basename(own) === DAEMON_GROUP
  const parent = isBelow ? dirname(own) : own
  if (!isBelow && !isAlone(own)) return
  const available = words(join(parent, 'cgroup.controllers')).filter(name => CONTROLLERS.includes(name))
  if (available.length === 0) return
  if (!isBelow) moveInto(join(own, DAEMON_GROUP))
  for (const name of available)
    attempt(() => writeFileSync(join(parent, 'cgroup.subtree_control'), `+${name}`))
}

const CONTROLLERS = ['cpu', 'pids', 'memory']

/** True if this process is alone in the group. The root group, which belongs to the machine, has no `cgroup.type`. */
function isAlone(group: string): boolean {
  const processes = words(join(group, 'cgroup.procs'))
  return existsSync(join(group, 'cgroup.type')) && processes.join() === String(process.pid)
}

function moveInto(group: string): void {
  mkdirSync(group, { recursive: true })
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
}

/** Removes the groups of bridges that were killed together with their guard. The kernel keeps a group that has processes. */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const bridge = name.startsWith(PROGRAM_GROUP) && Number.parseInt(name.slice(PROGRAM_GROUP.length), 10)
    if (bridge && !existsSync(join('/proc', String(bridge)))) attempt(() => rmdirSync(join(parent, name)))
  }
}

function words(file: string): string[] {
  return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)
}

function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // The kernel or the owner of the group refuses, so programs have fewer limits or none.
  }
}
