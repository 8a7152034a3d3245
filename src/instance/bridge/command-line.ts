import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Program } from '../../shared/artifact.ts'
import { processorGaps } from '../../shared/control-groups.ts'
import type { ProgramLimits, Tenant } from '../../shared/instance-protocol.ts'
import { ChildStartError } from './child-start-error.ts'
import { proxyVariables } from './program-network.ts'
import { sandboxed } from './sandbox.ts'

export type ExistingProgram = Exclude<Program, { type: 'module' | 'image' }>

/** A program as it is started: an absolute file, its arguments, the whole of its environment and its folder. */
export interface CommandLine {
  file: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** Filter of system calls, which its sandbox reads from FILTER_DESCRIPTOR. */
  filter?: Buffer
  /** Whether all its processes end with the first one. Undefined: it starts none of its own. */
  isContained?: boolean
  limits?: ProgramLimits
  /** What keeps it from the machine less than it could be, as the rest of a sentence. */
  gaps?: string[]
}

/**
 * How a program is started. Its environment holds PATH, HOME and TMPDIR (its own folders), language and time zone, and what
 * was declared for it: nothing of the daemon's. Throws when there is no such folder or command.
 */
export function commandLine(program: ExistingProgram, tenant: Tenant): CommandLine {
  const { folder, packages, source, env: base } = requirePlace(tenant)
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  if (source !== undefined) openFolder(source)
  const cwd = resolve(source ?? folder, program.cwd ?? '.')
  if (!isFolder(cwd))
    throw new ChildStartError(`the folder ${cwd}, where "${program.command}" is to run, does not exist`)
  const own = { HOME: folder, TMPDIR: temporary }
  const env: Record<string, string> = { ...base, ...proxyVariables(), ...own, ...given(tenant) }
  const { file, args } = findInstalled(program, packages) ?? {
    file: findExecutable(program.command, cwd, env.PATH ?? ''),
    args: program.args,
  }
  const { limits } = tenant.program!
  const line = sandboxed({ file, args, env, cwd, ...(limits && { limits }) }, program, tenant)
  return { ...line, gaps: [...(line.gaps ?? []), ...processorGaps(limits)] }
}

/** A value may name the program's own folder, whose path nobody who deploys it can know. */
function given({ env, program }: Tenant): Record<string, string> {
  const entries = Object.entries(env)
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll(HOME, program!.folder)]))
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the very text.
const HOME = '${HOME}'

function requirePlace({ program, serverName }: Tenant): NonNullable<Tenant['program']> {
  if (program) return program
  throw new ChildStartError(`"${serverName}" runs a program and has no folder for it`)
}

/** The package as it was built with; undefined when there is none any more, and npx has to fetch it. */
function findInstalled(
  { package: installed }: ExistingProgram,
  packages: string,
): Pick<CommandLine, 'file' | 'args'> | undefined {
  if (!installed) return undefined
  const folder = join(packages, installed.digest)
  const file = join(folder, 'node_modules', '.bin', installed.bin)
  if (!isExecutable(file)) return undefined
  markUsed(folder)
  openFolder(packages)
  openFolder(folder)
  // An image need not have what finds the interpreter of a script; npm packages are programs of Node's.
  if (!existsSync('/usr/bin/env'))
    return { file: process.execPath, args: [realpathSync(file), ...installed.args] }
  return { file, args: installed.args }
}

/** Installed by an earlier version, it may be private to the daemon, and its program runs as another user. */
function openFolder(folder: string): void {
  if (process.getuid?.() !== 0) return
  const status = statSync(folder, { throwIfNoEntry: false })
  if (status && (status.mode & 0o055) !== 0o055) chmodSync(folder, 0o755)
}

/** So that it is not removed as left over. In an image nothing can be written, and nothing is removed. */
function markUsed(folder: string): void {
  const now = new Date()
  try {
    utimesSync(folder, now, now)
  } catch (error) {
    if (!['EROFS', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** As a shell finds it, but telling plainly what is wrong. */
function findExecutable(command: string, cwd: string, path: string): string {
  if (command.includes('/')) {
    const file = resolve(cwd, command)
    if (isExecutable(file)) return file
    throw new ChildStartError(`"${command}" is no executable file in ${cwd}`)
  }
  // Node itself is always there, whatever the PATH of the daemon holds.
  const folders = [...path.split(delimiter).filter(Boolean), dirname(process.execPath)]
  const found = folders.map(folder => resolve(folder, command)).find(isExecutable)
  if (found) return found
  throw new ChildStartError(`there is no command "${command}" in PATH (${path})`)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // which is the answer
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
