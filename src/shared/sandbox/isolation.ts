import { existsSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { delimiter, isAbsolute, join, parse } from 'node:path'
import type { ProgramDefinition } from '../definitions/definitions.ts'
import { type Bubblewrap, findBubblewrap } from './bubblewrap.ts'
import { type Needs, type ProgramUser, programUser } from './program-user.ts'
import { isWithin, withTarget } from './reach.ts'
import { findUserSwitch, type UserSwitch } from './sandbox-user.ts'
import { socketFilter } from './socket-filter.ts'

export interface IsolationTools {
  bubblewrap: Bubblewrap
  userSwitch: UserSwitch
  /** prlimit of util-linux, if the kernel counts processes per user namespace. */
  prlimit?: string
}

export interface IsolationSettings {
  sandbox: 'auto' | 'required' | 'off'
  user: 'auto' | 'own' | 'root'
  unixSockets: boolean
  writable: readonly string[]
}

/** Folders of a program, see `Tenant.program`. */
interface ProgramPlace {
  folder: string
  data?: string
  packages: string
  hidden: readonly string[]
  source?: string
}

export interface ProgramUse {
  settings: IsolationSettings
  place: ProgramPlace
  /** Executable of the program's command, if known. */
  file?: string
  args: readonly string[]
  cwd: string
  /** Values of the program's environment variables. */
  values: readonly string[]
  path: string
}

/** Isolation of a program from the machine. */
export interface Isolation {
  /** Undefined: no sandbox. */
  sandbox?: {
    /** Executable of bubblewrap. */
    file: string
    /** True when the size of in-memory folders can be limited. */
    canSizeMemory?: boolean
    /** Existing absolute paths in the program's arguments, variables and settings, which it may use. */
    named: string[]
    filter?: Buffer
    user?: SwitchedUser
    prlimit?: string
  }
  /** Missing protections. Each text completes a sentence about the program. */
  gaps: string[]
  /** Reason why the program must not start, in words that complete a sentence. */
  refusal?: string
}

export type SwitchedUser = ProgramUser & { switched: true } & { by: UserSwitch & { usable: true } }

/** Detected once per process. */
let tools: IsolationTools | undefined

export function findIsolationTools(path: string): IsolationTools {
  tools ??= { bubblewrap: findBubblewrap(path), userSwitch: findUserSwitch(path), ...findPrlimit(path) }
  return tools
}

/** Finds prlimit. Omitted before Linux 5.14, where RLIMIT_NPROC also counts the user's processes outside the sandbox. */
function findPrlimit(path: string): Pick<IsolationTools, 'prlimit'> {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const file = path
    .split(delimiter)
    .map(folder => join(folder, 'prlimit'))
    .find(existsSync)
  return file && isAbsolute(file) && (major > 5 || (major === 5 && minor >= 14)) ? { prlimit: file } : {}
}

export function isolationSettings({ isolation }: Pick<ProgramDefinition, 'isolation'>): IsolationSettings {
  const given = typeof isolation === 'object' ? isolation : undefined
  return {
    sandbox: given?.sandbox ?? 'auto',
    user: given?.user ?? 'auto',
    unixSockets: given?.unixSockets ?? false,
    writable: given?.writable ?? [],
  }
}

export function isolate(use: ProgramUse, available = findIsolationTools(use.path)): Isolation {
  const { bubblewrap, userSwitch, prlimit } = available
  const { settings } = use
  if (settings.sandbox === 'off')
    return { gaps: ['runs without a sandbox, because isolation.sandbox is "off"'] }
  if (!bubblewrap.usable) return withoutBubblewrap(settings, bubblewrap.why)
  const named = [...use.args, ...use.values, ...settings.writable].filter(
    path => isAbsolute(path) && existsSync(path),
  )
  const filter = socketFilter(settings)
  const { user, gaps, refusal } = chooseUser(use, named, userSwitch)
  const sandbox = {
    file: bubblewrap.file,
    ...(bubblewrap.canSizeMemory && { canSizeMemory: true }),
    named,
    ...(filter && { filter }),
    ...(user && { user }),
    ...(prlimit && { prlimit }),
  }
  return {
    sandbox,
    gaps: [...gaps, ...socketGaps(settings, filter)],
    ...(refusal !== undefined && { refusal }),
  }
}

function withoutBubblewrap({ sandbox }: IsolationSettings, why: string): Isolation {
  const gaps = [`runs without a sandbox, because ${why}`]
  if (sandbox === 'auto') return { gaps }
  const refusal = `its isolation.sandbox is "required", but ${why}; install bubblewrap (apt install bubblewrap) or set it to "auto"`
  return { gaps, refusal }
}

function socketGaps({ unixSockets }: IsolationSettings, filter: Buffer | undefined): string[] {
  if (unixSockets) return ['can connect to Unix sockets, because isolation.unixSockets is true']
  return filter ? [] : [`can connect to Unix sockets, because there is no filter for ${process.arch}`]
}

interface Choice {
  user?: SwitchedUser
  gaps: string[]
  refusal?: string
}

function chooseUser(use: ProgramUse, named: readonly string[], by: UserSwitch): Choice {
  if (process.getuid?.() !== 0) return { gaps: [] }
  const { user: wanted } = use.settings
  if (wanted === 'root') return { gaps: ['runs as root, because isolation.user is "root"'] }
  const chosen = by.usable ? programUser(by, needsOf(use, named)) : { switched: false as const, why: by.why }
  if (chosen.switched && by.usable) return { user: { ...chosen, by }, gaps: [] }
  const why = chosen.switched ? '' : chosen.why
  if (wanted === 'auto') return { gaps: [`runs as root, because ${why}`] }
  const refusal = `its isolation.user is "own", but ${why}; change the owner or mode, or set isolation.user to "root"`
  return { gaps: [], refusal }
}

function needsOf({ file, cwd, path, place }: ProgramUse, named: readonly string[]): Needs {
  const shown = [place.packages, ...(place.source === undefined ? [] : [place.source])]
  const { folder, data = folder } = place
  const isElsewhere = (one: string) => !isWithin(folder, one) && !isWithin(data, one)
  return {
    read: [...(file === undefined ? [] : [file]), cwd, ...shown, ...named].filter(isElsewhere),
    write: named.filter(one => isElsewhere(one) && !isRoot(one) && statSync(one).isDirectory()),
    commands: path,
    folder: place.folder,
    hidden: place.hidden,
    shown,
  }
}

export function isRoot(path: string): boolean {
  return withTarget(path).includes(parse(path).root)
}
