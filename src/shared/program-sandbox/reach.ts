import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, parse, relative, sep } from 'node:path'
import type { SandboxUser } from '../sandbox-user.ts'

const READ = 4
const WRITE = 2
const ENTER = 1

/** How a user without privileges gets to a path, when the folders above it may be closed to that user. */
export type Reach =
  | { reachable: true; closed?: string; shown?: string }
  /** `by`: the file or folder that is closed. */
  | { reachable: false; by: string }

/**
 * Whether the user can read the file, or list the folder, judged by owner, group and mode. One closed folder on the way, such
 * as /root, is no obstacle: an empty folder is mounted over it (`closed`), and in it the part that is open (`shown`).
 * `covered`: folders that the sandbox replaces anyway.
 */
export function reach(
  path: string,
  user: SandboxUser,
  isReplaced: (folder: string) => boolean = () => false,
): Reach {
  const [first, second] = closedAbove(path, user, isReplaced)
  if (second !== undefined) return { reachable: false, by: second }
  if (!allows(path, user, isFolder(path) ? READ | ENTER : READ)) return { reachable: false, by: path }
  if (first === undefined) return { reachable: true }
  const shown = join(first, relative(first, path).split(sep)[0]!)
  // Alone in an empty folder, a file would lose what lies next to it.
  if (!isFolder(shown) || !allows(shown, user, READ | ENTER)) return { reachable: false, by: first }
  return { reachable: true, closed: first, shown }
}

/** Folders above the path that the user cannot enter, the outermost first. */
export function closedAbove(
  path: string,
  user: SandboxUser,
  isReplaced: (folder: string) => boolean,
): string[] {
  return foldersAbove(path).filter(folder => !isReplaced(folder) && !allows(folder, user, ENTER))
}

export function mayWrite(folder: string, user: SandboxUser): boolean {
  return allows(folder, user, WRITE | ENTER)
}

/** The path itself, and where its links lead. */
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

function allows(path: string, user: SandboxUser, wanted: number): boolean {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined || (bitsFor(status, user) & wanted) === wanted
}

function bitsFor({ mode, uid, gid }: Stats, user: SandboxUser): number {
  if (uid === user.uid) return mode >> 6
  return gid === user.gid ? mode >> 3 : mode
}
