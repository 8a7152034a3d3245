import { existsSync, lchownSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { inMemory, SANDBOX_BASE } from '../../shared/bubblewrap.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import {
  type Isolation,
  isolate,
  isolationSettings,
  isRoot,
  type SwitchedUser,
  type Walls,
} from '../../shared/program-sandbox/isolation.ts'
import { isWithin } from '../../shared/program-sandbox/reach.ts'
import { switchedCommand, USER_SWITCH_CAPABILITIES } from '../../shared/sandbox-user.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine, ExistingProgram } from './command-line.ts'

type Place = NonNullable<Tenant['program']>
type Sandbox = NonNullable<Isolation['sandbox']>

/** Descriptor from which bubblewrap reads the filter of system calls. 3 is the process guard's. */
export const FILTER_DESCRIPTOR = 4

const MAX_MEMORY_FOLDER_MB = 256

/**
 * The same program inside of bubblewrap (https://github.com/containers/bubblewrap), as its `isolation` wants it. What it may
 * see and write: docs/isolation.md. Throws when the machine does not have what the program requires.
 */
export function sandboxed(
  line: CommandLine,
  program: ExistingProgram,
  tenant: Tenant,
  walls?: Walls,
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
    walls,
  )
  if (refusal !== undefined) throw new ChildStartError(refusal)
  if (!sandbox) return { ...line, gaps, isContained: false }
  giveFolder(place.folder, sandbox.user)
  const args = [
    ...sandboxArguments(line, { place, ...sandbox, memoryBytes: memoryBytes(line, sandbox) }),
    '--',
    ...asUser(limited(line, sandbox, program), sandbox),
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
 * A fork bomb fails inside, before the watch over the tree sees it. The kernel counts per user namespace, or per user where
 * the sandbox has one of its own, which all programs of the deployment share. It never limits root.
 */
function limited(
  { file, args, limits }: CommandLine,
  { prlimit, user }: Pick<Sandbox, 'prlimit' | 'user'>,
  program: ExistingProgram,
): string[] {
  const command = [file, ...args]
  const isCounted = user ? !user.isShared : process.getuid?.() !== 0
  if (!prlimit || !limits || !isCounted) return command
  const count = user ? limits.pids * programsOf(program) : limits.pids
  return [prlimit, `--nproc=${count}:${count}`, '--', ...command]
}

/** How many at most run as the same user: of each session, or of a few instances and releases. */
function programsOf({ isolation }: ExistingProgram): number {
  const { children, maxChildren = 100 } = typeof isolation === 'object' ? isolation : { children: isolation }
  return children === 'session' ? maxChildren : 8
}

function asUser(command: string[], { user }: Pick<Sandbox, 'user'>): string[] {
  return user ? switchedCommand(user.by, user.user, command) : command
}

/** Size of each folder in memory. Its content counts for no process, so the watch over the program's memory does not see it. */
function memoryBytes({ limits }: CommandLine, { canSizeMemory }: Sandbox): number | undefined {
  if (!canSizeMemory) return undefined
  return Math.min(MAX_MEMORY_FOLDER_MB, limits?.memoryMb ?? MAX_MEMORY_FOLDER_MB) * 1024 * 1024
}

/** The rest of /dev could otherwise be filled, too. */
function writableMemory(bytes: number): string[] {
  const folders = ['/tmp', '/dev/shm'].flatMap(path => inMemory(path, { mode: '1777', bytes }))
  return [...folders, '--remount-ro', '/dev']
}

/** Later mounts are on top of earlier ones. */
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
  const there = named.filter(path => existsSync(path) && !isRoot(path))
  const folders = there.filter(path => statSync(path).isDirectory())
  const mentioned = [file, realpathSync(file), cwd, ...args, ...named]
  const closed = user?.closed ?? []
  const shown = user?.shown ?? []
  const hidden = place.hidden.filter(path => existsSync(path))
  const emptied = ['/tmp', ...closed, ...hidden]
  const mount = (how: string) => (path: string) => [...wayTo(path, emptied), how, path, path]
  const readable = (paths: readonly string[]) => visible(paths).flatMap(mount('--ro-bind'))
  const empty = (paths: readonly string[]) =>
    paths.flatMap(path => [...wayTo(path, emptied), ...inMemory(path, { bytes })])
  return [
    ...SANDBOX_BASE,
    ...(bytes === undefined ? [] : writableMemory(bytes)),
    ...(user ? USER_SWITCH_CAPABILITIES : []),
    ...(filter ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
    // Sockets of the machine's services, a container engine's among them.
    ...empty(['/run'].filter(path => existsSync(path))),
    ...RUN_KEPT.flatMap(path => ['--ro-bind-try', path, path]),
    ...readable(mentioned.flatMap(belowTemporary).filter(path => !closed.includes(path))),
    ...empty(closed),
    ...readable(shown),
    ...[...new Set(folders)].flatMap(mount('--bind')),
    ...empty(hidden),
    ...readable([place.packages, ...(place.source === undefined ? [] : [place.source])]),
    ...mount('--bind')(place.folder),
    // Without capabilities, root still owns the files of the kernel in there.
    ...(process.getuid?.() === 0 && !user ? ['--remount-ro', '/proc'] : []),
    '--chdir',
    cwd,
  ]
}

/** bubblewrap makes folders above a mount private to the user that it runs as, which need not be the program's. */
function wayTo(path: string, emptied: readonly string[]): string[] {
  const top = emptied
    .filter(folder => folder !== path && isWithin(folder, path))
    .sort((a, b) => b.length - a.length)[0]
  if (top === undefined) return []
  const names = relative(top, path).split(sep).slice(0, -1)
  return names.flatMap((_, index) => ['--perms', '0755', '--dir', join(top, ...names.slice(0, index + 1))])
}

/** Names of hosts, and where some systems keep their programs. */
const RUN_KEPT = ['/run/systemd/resolve', '/run/current-system', '/run/wrappers']

/** Temporary files are its own; of the machine's it sees the folders that its command speaks of, in whatever words. */
function belowTemporary(text: string): string[] {
  return Array.from(text.matchAll(/\/tmp\/([^/\s'":;,=()]+)/g), ([, first]) => join('/tmp', first!))
}

function visible(paths: readonly string[]): string[] {
  return [...new Set(paths.filter(path => existsSync(path) && !isRoot(path)))]
}

/** The folder of a program belongs to its user. Without capabilities, root cannot write the folder of another user. */
function giveFolder(folder: string, switched: SwitchedUser | undefined): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = switched?.user ?? { uid: 0, gid: 0 }
  if (statSync(folder).uid !== uid) giveAway(folder, uid, gid)
}

function giveAway(path: string, uid: number, gid: number): void {
  const status = lstatSync(path)
  if (status.isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name), uid, gid)
  // Another name of a file may be outside of the folder.
  if (status.isDirectory() || status.nlink === 1) lchownSync(path, uid, gid)
}
