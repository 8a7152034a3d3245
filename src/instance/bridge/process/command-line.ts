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
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { processorGaps } from '../../../shared/sandbox/control-groups.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine, RunnableProgram } from './program-command.ts'
import { proxyVariables } from './program-network.ts'
import { fillFolders, storageVariables } from './program-storage.ts'
import { sandboxCommand } from './sandbox.ts'

/**
 * Builds the command of a program. The environment contains private folders (HOME, DATA_DIR and TMPDIR), proxy variables and the
 * variables of the deployment. From the daemon, it contains only PATH, language, time zone and certificates. Throws
 * ChildStartError when the folder or command does not exist.
 */
export function commandLine(program: RunnableProgram, tenant: Tenant): CommandLine {
  const { folder, packages, source, env: base } = requireFolders(tenant)
  const data = dataFolder(tenant)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  if (source !== undefined) openFolder(source)
  const cwd = resolve(source ?? folder, program.cwd ?? '.')
  if (!isFolder(cwd))
    throw new ChildStartError(`the working folder ${cwd} of "${program.command}" does not exist`)
  const own = { HOME: folder, TMPDIR: temporary, ...storageVariables(data) }
  const env: Record<string, string> = {
    ...base,
    ...proxyVariables(),
    ...own,
    ...fillFolders(tenant.env, { HOME: folder, DATA_DIR: data }),
  }
  const { file, args } = findInstalled(program, packages) ?? {
    file: findExecutable(program.command, cwd, env.PATH ?? ''),
    args: program.args,
  }
  const { limits } = tenant.program!
  const line = sandboxCommand({ file, args, env, cwd, ...(limits && { limits }) }, program, tenant)
  return { ...line, gaps: [...(line.gaps ?? []), ...processorGaps(limits)] }
}

/** Data folder of a program. A program that is only described has no separate data folder. */
function dataFolder({ program }: Tenant): string {
  return program!.data ?? join(program!.folder, 'data')
}

function requireFolders({ program, serverName }: Tenant): NonNullable<Tenant['program']> {
  if (program) return program
  throw new ChildStartError(`"${serverName}" runs a program but has no folder for it`)
}

/** Command of the package installed at build time. Undefined without one, or when it was removed and npx must fetch it. */
function findInstalled(
  { package: installed }: RunnableProgram,
  packages: string,
): Pick<CommandLine, 'file' | 'args'> | undefined {
  if (!installed) return undefined
  const folder = join(packages, installed.digest)
  const file = join(folder, 'node_modules', '.bin', installed.bin)
  if (!isExecutable(file)) return undefined
  markUsed(folder)
  openFolder(packages)
  openFolder(folder)
  // Minimal images lack /usr/bin/env, which scripts need to find their interpreter. npm packages are Node programs.
  if (!existsSync('/usr/bin/env'))
    return { file: process.execPath, args: [realpathSync(file), ...installed.args] }
  return { file, args: installed.args }
}

/** Opens the folder to other users. Earlier versions made it private to the daemon, but the program may run as another user. */
function openFolder(folder: string): void {
  if (process.getuid?.() !== 0) return
  const status = statSync(folder, { throwIfNoEntry: false })
  if (status && (status.mode & 0o055) !== 0o055) chmodSync(folder, 0o755)
}

/** Marks the folder as used, so that it is not removed. In images, which are read-only, nothing is removed. */
function markUsed(folder: string): void {
  const now = new Date()
  try {
    utimesSync(folder, now, now)
  } catch (error) {
    if (!['EROFS', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Finds a command the way a shell does, but with clear errors. */
function findExecutable(command: string, cwd: string, path: string): string {
  if (command.includes('/')) {
    const file = resolve(cwd, command)
    if (isExecutable(file)) return file
    throw new ChildStartError(`"${command}" is not an executable file in ${cwd}`)
  }
  // Node itself is always available, regardless of the daemon's PATH.
  const folders = [...path.split(delimiter).filter(Boolean), dirname(process.execPath)]
  const found = folders.map(folder => resolve(folder, command)).find(isExecutable)
  if (found) return found
  throw new ChildStartError(`the command "${command}" was not found in PATH`)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
