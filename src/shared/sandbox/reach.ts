import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, parse, relative, sep } from 'node:path'
import type { SandboxUser } from './sandbox-user.ts'

const READ = 4
const WRITE = 2
const ENTER = 1

/** Access of an unprivileged user to a path. */
export type Reach =
  | { reachable: true; closed?: string; shown?: string }
  /** `by`: file or folder that blocks access. */
  | { reachable: false; by: string }

/**
 * Checks by owner, group and mode whether the user can read the file or list the folder. One closed parent folder, such as /root,
 * is not an obstacle, because the sandbox covers it with an empty folder (`closed`) and mounts the open part in it (`shown`).
 * `isReplaced`: true for folders that the sandbox replaces anyway.
 */
export function reach(
  path: string,
  user: SandboxUser,
  isReplaced: (folder: string) => boolean = () => false,
): Reach {
  const [first, second] = closedAbove(path, user, isReplaced)
  if (second !== undefined) return { reachable: false, by: second }
  if (!isAllowed(path, user, isFolder(path) ? READ | ENTER : READ)) return { reachable: false, by: path }
  if (first === undefined) return { reachable: true }
  const shown = join(first, relative(first, path).split(sep)[0]!)
  // A file alone in an empty folder would lose its siblings.
  if (!isFolder(shown) || !isAllowed(shown, user, READ | ENTER)) return { reachable: false, by: first }
  return { reachable: true, closed: first, shown }
}

/** Parent folders that the user cannot enter, outermost first. */
export function closedAbove(
  path: string,
  user: SandboxUser,
  isReplaced: (folder: string) => boolean,
): string[] {
  return foldersAbove(path).filter(folder => !isReplaced(folder) && !isAllowed(folder, user, ENTER))
}

export function mayWrite(folder: string, user: SandboxUser): boolean {
  return isAllowed(folder, user, WRITE | ENTER)
}

export function withTarget(path: string): string[] {
  return [...new Set([path, realpathSync(path)])]
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
}

function foldersAbove(path: string): string[] {
  const { root } = parse(path)
  const folders: string[] = []
  for (let folder = dirname(path); folder !== root; folder = dirname(folder)) folders.unshift(folder)
  return folders
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory()
}

function isAllowed(path: string, user: SandboxUser, wanted: number): boolean {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined || (bitsFor(status, user) & wanted) === wanted
}

function bitsFor({ mode, uid, gid }: Stats, user: SandboxUser): number {
  if (uid === user.uid) return mode >> 6
  return gid === user.gid ? mode >> 3 : mode
}
