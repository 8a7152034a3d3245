import { accessSync, constants, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export type Controller = 'cpu' | 'pids' | 'memory'

/** Folders where a process may create control groups (https://docs.kernel.org/admin-guide/cgroup-v2.html). */
export interface ControlGroups {
  version: 1 | 2
  /** Parent folder of the groups for each controller. Version 2 has one folder for all of them. */
  parents: ReadonlyMap<Controller, string>
}

/** A cgroup mount, or a line of /proc/<pid>/cgroup with its folder. */
interface Hierarchy {
  version: 1 | 2
  controllers: readonly string[]
  folder: string
}

/**
 * Version 2 does not allow processes next to groups with limits, so the daemon moves itself and its instances into this
 * group of its service. The groups of programs are its siblings.
 */
export const DAEMON_GROUP = 'mcp-daemon'

/** Prefix of the groups of programs, followed by the process id of the bridge. */
export const PROGRAM_GROUP = 'mcp-program-'

/** Excludes memory, because version 1 counts the page cache of files and kills without a reason that we could report. */
const VERSION_1: readonly Controller[] = ['cpu', 'pids']
const VERSION_2: readonly Controller[] = ['cpu', 'pids', 'memory']

let found: { groups: ControlGroups | undefined } | undefined

/** Control groups available to this process. Detected once. */
export function ownControlGroups(): ControlGroups | undefined {
  found ??= { groups: findControlGroups() }
  return found.groups
}

/** Returns undefined when the process may not create groups: no Linux, no delegation, or version 1 without root. */
export function findControlGroups(pid: number | 'self' = 'self', proc = '/proc'): ControlGroups | undefined {
  const hierarchies = hierarchiesOf(pid, proc)
  return delegatedGroup(hierarchies) ?? legacyGroup(hierarchies)
}

/** Folder of the process in the unified hierarchy. */
export function unifiedFolder(pid: number | 'self' = 'self', proc = '/proc'): string | undefined {
  return hierarchiesOf(pid, proc).find(({ version }) => version === 2)?.folder
}

/** Processor limit that is not enforced, in words that complete a sentence about the program. Empty if it is enforced. */
export function processorGaps({ cpus }: { cpus?: number | undefined } = {}): string[] {
  if (cpus === undefined || ownControlGroups()?.parents.has('cpu')) return []
  return [
    'has no processor limit, because limits.cpus needs a container or a control group (see `mcp doctor`)',
  ]
}

function delegatedGroup(hierarchies: readonly Hierarchy[]): ControlGroups | undefined {
  const own = hierarchies.find(({ version }) => version === 2)?.folder
  if (own === undefined || basename(own) !== DAEMON_GROUP) return undefined
  const parent = dirname(own)
  const enabled = words(read(join(parent, 'cgroup.subtree_control')))
  const usable = VERSION_2.filter(controller => enabled.includes(controller))
  if (usable.length === 0 || !mayCreateIn(parent)) return undefined
  return { version: 2, parents: new Map(usable.map(controller => [controller, parent])) }
}

function legacyGroup(hierarchies: readonly Hierarchy[]): ControlGroups | undefined {
  if (process.getuid?.() !== 0) return undefined
  const parents = new Map<Controller, string>()
  for (const controller of VERSION_1) {
    const own = hierarchies.find(
      ({ version, controllers }) => version === 1 && controllers.includes(controller),
    )
    if (own && mayCreateIn(own.folder)) parents.set(controller, own.folder)
  }
  return parents.size === 0 ? undefined : { version: 1, parents }
}

/** Mounted control groups of the process. */
function hierarchiesOf(pid: number | 'self', proc: string): Hierarchy[] {
  const mounts = mountsOf(read(join(proc, 'self', 'mountinfo')))
  return read(join(proc, String(pid), 'cgroup'))
    .split('\n')
    .flatMap(line => {
      const [id, names = '', path] = line.split(/:([^:]*):(.*)/)
      if (path === undefined) return []
      const controllers = names.split(',')
      const version = id === '0' ? 2 : 1
      const folder = folderOf(
        path,
        mounts.filter(
          mount =>
            mount.version === version && (version === 2 || mount.controllers.includes(controllers[0]!)),
        ),
      )
      return folder === undefined ? [] : [{ version, controllers, folder }]
    })
}

interface Mount extends Hierarchy {
  /** Group that is mounted at `folder`. */
  root: string
}

/** Format: proc_pid_mountinfo(5). */
function mountsOf(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap(line => {
    const [place = '', kind = ''] = line.split(' - ')
    const [, , , root, folder] = place.split(' ')
    const [type, , options = ''] = kind.split(' ')
    if (root === undefined || folder === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return []
    return [{ version: type === 'cgroup2' ? 2 : 1, controllers: options.split(','), root, folder }]
  })
}

/**
 * Folder of a group. Paths with special characters are not used, because the launcher of programs separates folders by spaces.
 */
function folderOf(path: string, mounts: readonly Mount[]): string | undefined {
  for (const { root, folder } of mounts) {
    const below = root === '/' ? path : path === root ? '/' : path.slice(root.length)
    const isBelow = root === '/' || path === root || path.startsWith(`${root}/`)
    if (isBelow && /^[\w./@:,-]*$/.test(folder + path) && !path.includes('..'))
      return join(folder, below, '.')
  }
  return undefined
}

function mayCreateIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    accessSync(join(folder, 'cgroup.procs'), constants.W_OK)
    return true
  } catch {
    return false
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Empty when the file cannot be read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
