import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { BuildRequest } from '../../../shared/definitions/definitions.ts'
import { isModuleFile, MODULE_FOLDERS, type ModuleKind } from '../../../shared/definitions/project-modules.ts'
import { HostingError } from '../../../shared/errors.ts'
import { nearestName } from '../../../shared/names.ts'

/** Module of a project that defines a tool, resource or prompt. */
export interface ProjectModule {
  kind: ModuleKind
  /** Relative to the project, with slashes: `tools/add.ts`. */
  path: string
  /** Name of the export that is the definition. */
  export: string
}

const KINDS = ['tool', 'resource', 'prompt'] as const

/**
 * Modules that the request names as handlers, then all module files in `tools/`, `resources/` and `prompts/`, sorted by name.
 * Ignores subfolders, which contain shared code. Throws INVALID_MCP for a named module that does not exist.
 */
export function findModules(directory: string, request: BuildRequest): ProjectModule[] {
  const named = namedModules(request)
  for (const { path, field } of named) requireFile(directory, path, field)
  const isNamed = (found: ProjectModule) =>
    named.some(
      ({ kind, path, export: name }) => kind === found.kind && path === found.path && name === found.export,
    )
  const found = KINDS.flatMap(kind => modulesIn(directory, kind)).filter(one => !isNamed(one))
  return [...named.map(({ kind, path, export: name }) => ({ kind, path, export: name })), ...found]
}

/** `./tools/../tools/add.ts` → `tools/add.ts` */
export function modulePath(path: string): string {
  return posix.normalize(path)
}

interface NamedModule extends ProjectModule {
  /** Field of the request, for error messages. */
  field: string
}

function namedModules(request: BuildRequest): NamedModule[] {
  const modules = KINDS.flatMap(kind =>
    (request[MODULE_FOLDERS[kind]] ?? []).flatMap((definition, index) => {
      const handler = 'handler' in definition ? definition.handler : undefined
      if (handler?.type !== 'module') return []
      const field = `${MODULE_FOLDERS[kind]}[${index}].handler`
      return [{ kind, path: modulePath(handler.path), export: handler.export, field }]
    }),
  )
  return modules.filter((one, index) => modules.findIndex(other => isSame(one, other)) === index)
}

function isSame(one: ProjectModule, other: ProjectModule): boolean {
  return one.kind === other.kind && one.path === other.path && one.export === other.export
}

function modulesIn(directory: string, kind: ProjectModule['kind']): ProjectModule[] {
  const folder = MODULE_FOLDERS[kind]
  return filesIn(join(directory, folder))
    .filter(isModuleFile)
    .toSorted()
    .map(name => ({ kind, path: `${folder}/${name}`, export: 'default' }))
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
}

function requireFile(directory: string, path: string, field: string): void {
  if (posix.isAbsolute(path) || path === '..' || path.startsWith('../'))
    throw invalidPath(field, `"${path}" is outside the source`)
  const file = join(directory, path)
  if (existsSync(file) && statSync(file).isFile()) return
  const near = nearestName(posix.basename(path), filesIn(join(directory, posix.dirname(path))))
  const hint = near ? `; did you mean "${posix.join(posix.dirname(path), near)}"?` : ''
  throw invalidPath(field, `"${path}" is not a file in the source${hint}`)
}

function invalidPath(field: string, reason: string): HostingError {
  return new HostingError('INVALID_MCP', `The definitions are not valid: ${field}.path: ${reason}`, {
    details: `${field}.path: ${reason}`,
  })
}
