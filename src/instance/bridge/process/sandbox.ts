import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { inMemory, SANDBOX_BASE } from '../../../shared/sandbox/bubblewrap.ts'
import {
  type Isolation,
  type IsolationTools,
  isolate,
  isolationSettings,
  isRoot,
  type SwitchedUser,
} from '../../../shared/sandbox/isolation.ts'
import { isWithin } from '../../../shared/sandbox/reach.ts'
import { switchedCommand, USER_SWITCH_CAPABILITIES } from '../../../shared/sandbox/sandbox-user.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine, RunnableProgram } from './program-command.ts'

type Place = NonNullable<Tenant['program']>
type Sandbox = NonNullable<Isolation['sandbox']>

/** Descriptor from which bubblewrap reads the system call filter. The process guard uses 3. */
export const FILTER_DESCRIPTOR = 4

const MAX_MEMORY_FOLDER_MB = 256

/**
 * Wraps a command in bubblewrap (https://github.com/containers/bubblewrap) according to the program's `isolation`.
 * docs/isolation.md lists what the program can see and write. Throws when the machine lacks what the program requires.
 */
export function sandboxCommand(
  line: CommandLine,
  program: RunnableProgram,
  tenant: Tenant,
  tools?: IsolationTools,
): CommandLine {
  const place = tenant.program!
  const { sandbox, gaps, refusal } = isolate(
    {
      settings: isolationSettings(program),
      place,
      file: line.file,
      args: line.args,
      cwd: line.cwd,
      values: Object.values(tenant.env),
      path: line.env.PATH ?? '',
    },
    tools,
  )
  if (refusal !== undefined) throw new ChildStartError(refusal)
  if (!sandbox) return { ...line, gaps, isContained: false }
  for (const folder of writableFolders(place)) giveFolder(folder, sandbox.user)
  const args = [
    ...sandboxArguments(line, { place, ...sandbox, memoryBytes: memoryBytes(line, sandbox) }),
    '--',
    ...asUser(limitProcesses(line, sandbox, program), sandbox),
  ]
  return {
    ...line,
    file: sandbox.file,
    args,
    gaps,
    isContained: true,
    ...(sandbox.filter && { filter: sandbox.filter }),
  }
}

/**
 * Makes fork bombs fail inside the sandbox before the periodic process count finds them. The kernel counts processes per user
 * namespace, or per sandbox user, which all programs of a deployment share. It never limits root.
 */
function limitProcesses(
  { file, args, limits }: CommandLine,
  { prlimit, user }: Pick<Sandbox, 'prlimit' | 'user'>,
  program: RunnableProgram,
): string[] {
  const command = [file, ...args]
  const isCounted = user ? !user.isShared : process.getuid?.() !== 0
  if (!prlimit || !limits || !isCounted) return command
  const count = user ? limits.pids * programsOf(program) : limits.pids
  return [prlimit, `--nproc=${count}:${count}`, '--', ...command]
}

/** Maximum number of programs that run as the same user: one per session, or a few for instances and releases. */
function programsOf({ isolation }: RunnableProgram): number {
  const { children, maxChildren = 100 } = typeof isolation === 'object' ? isolation : { children: isolation }
  return children === 'session' ? maxChildren : 8
}

function asUser(command: string[], { user }: Pick<Sandbox, 'user'>): string[] {
  return user ? switchedCommand(user.by, user.user, command) : command
}

/** Size of each in-memory folder. The content of these folders belongs to no process, so the memory watch does not count it. */
function memoryBytes({ limits }: CommandLine, { canSizeMemory }: Sandbox): number | undefined {
  if (!canSizeMemory) return undefined
  return Math.min(MAX_MEMORY_FOLDER_MB, limits?.memoryMb ?? MAX_MEMORY_FOLDER_MB) * 1024 * 1024
}

/** Writable folders in memory. /dev is remounted read-only, because the rest of it could be filled as well. */
function writableMemory(bytes: number): string[] {
  const folders = ['/tmp', '/dev/shm'].flatMap(path => inMemory(path, { mode: '1777', bytes }))
  return [...folders, '--remount-ro', '/dev']
}

/** Arguments for bubblewrap. Later mounts are on top of earlier ones. */
export function sandboxArguments(
  { file, args, cwd }: Pick<CommandLine, 'file' | 'args' | 'cwd'>,
  {
    place,
    named,
    user,
    filter,
    memoryBytes: bytes,
  }: Pick<Sandbox, 'named' | 'user' | 'filter'> & { place: Place; memoryBytes?: number | undefined },
): string[] {
  const existing = named.filter(path => existsSync(path) && !isRoot(path))
  const folders = existing.filter(path => statSync(path).isDirectory())
  const mentioned = [file, realpathSync(file), cwd, ...args, ...named]
  const closed = user?.closed ?? []
  const shown = user?.shown ?? []
  const hidden = place.hidden.filter(path => existsSync(path))
  const emptied = ['/tmp', ...closed, ...hidden]
  const mount = (how: string) => (path: string) => [...parentFolders(path, emptied), how, path, path]
  const readable = (paths: readonly string[]) => visiblePaths(paths).flatMap(mount('--ro-bind'))
  const empty = (paths: readonly string[]) =>
    paths.flatMap(path => [...parentFolders(path, emptied), ...inMemory(path, { bytes })])
  return [
    ...SANDBOX_BASE,
    ...(bytes === undefined ? [] : writableMemory(bytes)),
    ...(user ? USER_SWITCH_CAPABILITIES : []),
    ...(filter ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
    // Hides sockets of system services, such as a container engine.
    ...empty(['/run'].filter(path => existsSync(path))),
    ...RUN_KEPT.flatMap(path => ['--ro-bind-try', path, path]),
    ...readable(mentioned.flatMap(temporaryFoldersIn).filter(path => !closed.includes(path))),
    ...empty(closed),
    ...readable(shown),
    ...[...new Set(folders)].flatMap(mount('--bind')),
    ...empty(hidden),
    ...readable([place.packages, ...(place.source === undefined ? [] : [place.source])]),
    ...writableFolders(place).flatMap(mount('--bind')),
    // Root without capabilities still owns the kernel's files there.
    ...(process.getuid?.() === 0 && !user ? ['--remount-ro', '/proc'] : []),
    '--chdir',
    cwd,
  ]
}

function writableFolders({ folder, data }: Place): string[] {
  return data === undefined ? [folder] : [folder, data]
}

/** Creates the folders above a mount. bubblewrap would make them private to its own user, which may not be the program's user. */
function parentFolders(path: string, emptied: readonly string[]): string[] {
  const top = emptied
    .filter(folder => folder !== path && isWithin(folder, path))
    .sort((a, b) => b.length - a.length)[0]
  if (top === undefined) return []
  const names = relative(top, path).split(sep).slice(0, -1)
  return names.flatMap((_, index) => ['--perms', '0755', '--dir', join(top, ...names.slice(0, index + 1))])
}

/** Parts of /run that stay visible: host name resolution, and programs on some systems. */
const RUN_KEPT = ['/run/systemd/resolve', '/run/current-system', '/run/wrappers']

/**
 * Temporary folders that the text mentions. They stay visible in the program's private /tmp.
 */
function temporaryFoldersIn(text: string): string[] {
  return Array.from(text.matchAll(/\/tmp\/([^/\s'":;,=()]+)/g), ([, first]) => join('/tmp', first!))
}

function visiblePaths(paths: readonly string[]): string[] {
  return [...new Set(paths.filter(path => existsSync(path) && !isRoot(path)))]
}

/** Gives the program's folder to its user. Root without capabilities cannot write another user's folder. */
function giveFolder(folder: string, switched: SwitchedUser | undefined): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = switched?.user ?? { uid: 0, gid: 0 }
  if (statSync(folder).uid !== uid) changeOwner(folder, uid, gid)
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Changes the owner of a folder and its content. A program that is still running could replace a folder with a link to a system
 * folder, so each step starts at an open descriptor and does not follow links.
 */
export function changeOwner(folder: string, uid: number, gid: number): void {
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const here = `/proc/self/fd/${descriptor}`
    for (const name of readdirSync(here)) changeEntryOwner(join(here, name), uid, gid)
    fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}

function changeEntryOwner(path: string, uid: number, gid: number): void {
  const status = lstatSync(path)
  if (status.isDirectory()) return changeOwner(path, uid, gid)
  if (!status.isFile()) return lchownSync(path, uid, gid)
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    // A file with several hard links may also be outside the folder.
    if (fstatSync(descriptor).nlink === 1) fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}
