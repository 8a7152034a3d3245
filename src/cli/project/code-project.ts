import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isModuleFile, MODULE_FOLDERS } from '../../shared/definitions/project-modules.ts'
import { serverNameFor } from '../new-project/project-files.ts'
import type { ProjectSource } from './project-source.ts'

/**
 * The project in a folder of handler modules, which needs no project file. The name comes from package.json or the folder.
 * Undefined for any other folder.
 */
export async function inferProject(directory: string): Promise<ProjectSource | undefined> {
  if (!hasModules(directory)) return undefined
  const { name, version } = readManifest(directory)
  const value = {
    name: serverNameFor(directory, name?.replace(/^@[^/]+\//, '')),
    template: 'custom',
    ...(version !== undefined && { version }),
  }
  return { file: directory, directory, value, locate: () => undefined }
}

/** True when the project folder contains the server's code, which must be uploaded with the build request. */
export function needsSource(request: Record<string, unknown>, directory: string): boolean {
  if (request.template !== 'custom' || request.source !== undefined) return false
  if (request.program) return isInProject(request.program as Record<string, unknown>, directory)
  return hasModules(directory) || namesModules(request)
}

/** True for a program in the project folder: `python3 server.py`. False for an installed or downloaded one. */
function isInProject({ command, args, cwd }: Record<string, unknown>, directory: string): boolean {
  if (typeof cwd === 'string') return !isAbsolute(cwd)
  const words = [command, ...(Array.isArray(args) ? args : [])]
  return words.some(word => typeof word === 'string' && !isAbsolute(word) && isFile(join(directory, word)))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function hasModules(directory: string): boolean {
  return Object.values(MODULE_FOLDERS).some(folder => modulesIn(directory, folder).length > 0)
}

/** Handler modules of the project, such as `tools/add.ts`, which the build loads. */
export function listModules(directory: string): string[] {
  return Object.values(MODULE_FOLDERS).flatMap(folder =>
    modulesIn(directory, folder).map(name => `${folder}/${name}`),
  )
}

function modulesIn(directory: string, folder: string): string[] {
  const path = join(directory, folder)
  return existsSync(path) && statSync(path).isDirectory()
    ? readdirSync(path).filter(isModuleFile).toSorted()
    : []
}

function namesModules(request: Record<string, unknown>): boolean {
  const definitions = Object.values(MODULE_FOLDERS).flatMap(list => request[list] ?? [])
  return definitions.some(one => (one as { handler?: { type?: unknown } } | null)?.handler?.type === 'module')
}

function readManifest(directory: string): { name?: string; version?: string } {
  const file = join(directory, 'package.json')
  if (!existsSync(file)) return {}
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8'))
    return {
      ...(typeof name === 'string' && { name }),
      ...(typeof version === 'string' && version !== '' && { version }),
    }
  } catch {
    return {} // reported by the build
  }
}
