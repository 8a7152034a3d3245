import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isAbsolute, join, normalize, sep } from 'node:path'
import type { Program } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import { type Base, findCommand } from './base.ts'
import type { LayerEntry } from './layer.ts'

export type ExistingProgram = Exclude<Program, { type: 'module' | 'image' }>

/** Local folders of a program. */
export interface ProgramParts {
  /** Folder of the program's npm package. */
  packages: string | undefined
  /** Folder of the program's project. */
  source: string | undefined
}

/** Files of a program below `/app`: its packages, which change less often, and its own files. Throws INVALID_MCP. */
export function programFiles(
  name: string,
  program: ExistingProgram,
  { packages, source }: ProgramParts,
): { app: LayerEntry[]; dependencies: LayerEntry[] } {
  const dependencies: LayerEntry[] = []
  const app: LayerEntry[] = []
  if (program.package) {
    if (!packages || !existsSync(packages)) throw missingPart(name, `its package ${program.package.bin}`)
    dependencies.push(...filesOf(packages, `packages/${program.package.digest}`))
  }
  if (program.source) {
    if (!source || !existsSync(source)) throw missingPart(name, 'its source')
    for (const entry of filesOf(source, 'source'))
      (entry.path.startsWith('source/node_modules/') ? dependencies : app).push(entry)
  }
  return { app, dependencies }
}

/**
 * Throws INVALID_MCP for a program that would not start in an image: its command is neither in the base nor in the source, or
 * it uses files on this machine.
 */
export function requireCommand(
  name: string,
  program: ExistingProgram,
  base: Base,
  { source }: ProgramParts,
): void {
  const { command, cwd } = program
  if (cwd !== undefined && isAbsolute(cwd))
    throw cannotBecomeImage(
      name,
      `runs in the local folder ${cwd}, which is not in the image`,
      'Build it from a project folder: mcp build <dir>.',
    )
  const file = program.args.find(word => isAbsolute(word) && isFile(word) && !findCommand(base, word))
  if (file)
    throw cannotBecomeImage(
      name,
      `is started with the local file ${file}, which is not in the image`,
      'Build it from a project folder: mcp build <dir>.',
    )
  if (program.package || command === 'node') return
  if (source && command.includes('/') && existsSync(join(source, cwd ?? '.', command))) return
  if (!(command.includes('/') && !isAbsolute(command)) && findCommand(base, command)) return
  const image = base.origin?.name ?? "this machine's Node"
  throw cannotBecomeImage(
    name,
    `runs "${command}", which the base image (${image}) does not have`,
    'Use a base image that has it: mcp export <server> --image --base registry.example.com/python:3.13, or mcp projects update --base-image.',
  )
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** All files of a folder, with their execute permission. Throws INVALID_MCP for links that lead out of the folder. */
function filesOf(folder: string, into: string): LayerEntry[] {
  const entries: LayerEntry[] = []
  const visit = (relative: string) => {
    for (const name of readdirSync(join(folder, relative))) {
      const path = join(relative, name)
      const file = join(folder, path)
      const status = lstatSync(file)
      const target = `${into}/${path.replaceAll(sep, '/')}`
      if (status.isDirectory()) {
        entries.push({ path: target })
        visit(path)
      } else if (status.isSymbolicLink())
        entries.push({ path: target, link: linkWithin(path, readlinkSync(file)) })
      else if (status.isFile())
        entries.push({ path: target, file, mode: status.mode & 0o111 ? 0o755 : 0o644 })
    }
  }
  visit('')
  return entries
}

function linkWithin(path: string, target: string): string {
  const end = normalize(join(path, '..', target))
  if (!isAbsolute(target) && end !== '..' && !end.startsWith(`..${sep}`)) return target
  throw new HostingError(
    'INVALID_MCP',
    `${path} is a link to ${target}, outside its folder, and cannot be part of an image.`,
  )
}

function missingPart(name: string, what: string): HostingError {
  return cannotBecomeImage(name, `is missing ${what}`, 'Build the server again.')
}

function cannotBecomeImage(name: string, why: string, details: string): HostingError {
  return new HostingError('INVALID_MCP', `"${name}" cannot become an image: it ${why}.`, { details })
}
