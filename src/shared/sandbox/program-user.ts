import { existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute } from 'node:path'
import { closedAbove, isWithin, mayWrite, reach, withTarget } from './reach.ts'
import { type SandboxUser, sandboxUser, type UserSwitch } from './sandbox-user.ts'

/** Files and folders that a program needs. */
export interface Needs {
  /** Files and folders to read, such as the command, the working folder and paths in the arguments. */
  read: readonly string[]
  /** Folders that the program may write. */
  write: readonly string[]
  /** Folders with commands, from PATH. */
  commands: string
  /** The program's folder. Determines its user. */
  folder: string
  /** `hidden`: folders of the daemon, which the sandbox replaces with empty ones. `shown`: folders that stay visible in them. */
  hidden: readonly string[]
  shown: readonly string[]
}

export type ProgramUser =
  /** `closed`: folders to cover with empty ones. `shown`: folders inside those that stay visible. */
  | { switched: true; user: SandboxUser; isShared: boolean; closed: string[]; shown: string[] }
  /** `why`: obstacle for a user without privileges. */
  | { switched: false; why: string }

/** System folders. A program that names them only needs to read them. */
const SYSTEM_FOLDERS = ['/bin', '/boot', '/etc', '/lib', '/lib64', '/sbin', '/sys', '/usr', '/proc', '/dev']

/**
 * User of a program if the daemon runs as root: a dedicated user, or the owner of the folders that the program may write.
 * Not switched when no such user can access everything that the program needs.
 */
export function programUser({ ids }: UserSwitch & { usable: true }, needs: Needs): ProgramUser {
  const own = sandboxUser(ids, needs.folder)
  const closedToOwn = needs.write.filter(folder => !isSystem(folder) && !mayWrite(folder, own))
  const owners = closedToOwn.map(folder => ownerOf(folder))
  const roots = closedToOwn.find((_, index) => owners[index]!.uid === 0)
  if (roots !== undefined) return { switched: false, why: `only root can write ${roots}` }
  if (new Set(owners.map(({ uid }) => uid)).size > 1)
    return { switched: false, why: `${closedToOwn.join(' and ')} belong to different users` }
  return reachAll(owners[0] ?? own, needs, owners.length > 0)
}

function reachAll(user: SandboxUser, needs: Needs, isShared: boolean): ProgramUser {
  const isReplaced = (folder: string) =>
    isBelowAny(needs.hidden, folder) && !isBelowAny([...needs.shown, needs.folder], folder)
  const wayTo = (path: string) => reach(path, user, isReplaced)
  const read = existingPaths(needs.read).map(wayTo)
  const blocked = read.find(result => !result.reachable)
  if (blocked && !blocked.reachable)
    return { switched: false, why: `its unprivileged user cannot read ${blocked.by}` }
  const others = existingPaths([...needs.commands.split(delimiter), ...needs.write]).map(wayTo)
  const ways = [...read, ...others].flatMap(way => (way.reachable && way.closed !== undefined ? [way] : []))
  const mounts = [...needs.hidden, needs.folder]
  const closed = [
    ...ways.map(way => way.closed!),
    ...mounts.flatMap(path => closedAbove(path, user, isReplaced).slice(0, 1)),
  ]
  const shown = ways.map(way => way.shown!)
  return { switched: true, user, isShared, closed: [...new Set(closed)], shown: [...new Set(shown)] }
}

function isBelowAny(folders: readonly string[], path: string): boolean {
  return folders.some(folder => isWithin(folder, path))
}

function existingPaths(paths: readonly string[]): string[] {
  return paths.filter(path => isAbsolute(path) && existsSync(path)).flatMap(withTarget)
}

function isSystem(folder: string): boolean {
  return isBelowAny(SYSTEM_FOLDERS, folder)
}

function ownerOf(folder: string): SandboxUser {
  const { uid, gid } = statSync(folder)
  return { uid, gid }
}
