import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import { inlineResourceFiles } from '../../shared/definitions/inline-resource-files.ts'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { inferProject, needsSource } from './code-project.ts'
import { readProjectSource } from './formats/read-project-source.ts'
import { findLink } from './project-link.ts'
import type { ProjectSource } from './project-source.ts'
import { isUrl, urlGiven } from './remote-server.ts'

/** A validated project file, split into the parts that commands need. */
export interface Project {
  /** Absolute path of the project file or folder. For a project without a folder, the command, image or server name. */
  file: string
  directory: string
  /** Valid body of `POST /v1/build`, including contents of `resource.file`. */
  request: BuildRequest
  /** Defaults of `mcp deploy`, per environment. */
  deploy: Partial<Record<Environment, DeployConfig>> & { requireTest?: number | undefined }
  /** A test suite, or its path relative to `directory`. */
  test: string | Record<string, unknown> | undefined
  /** Position in `file` of a path such as `test.cases[0]`. Undefined without a file. */
  locate?: ProjectSource['locate']
  /** Id of the linked project. */
  project: string | undefined
  /** Folder of the server's code. Undefined for a server without code. */
  sourceDirectory: string | undefined
}

/** Input of a build. */
export interface Buildable {
  request: BuildRequest
  /** Folder of the project, if there is one. */
  directory?: string
  /** Folder of the server's code. */
  sourceDirectory?: string | undefined
  /** Id of the linked project. */
  project?: string | undefined
}

/** A problem in a project file. `path` looks like `tools[2].inputSchema`. */
export interface Problem {
  path: string
  message: string
}

export const PROJECT_FILE_NAMES = [
  'mcp.config.json',
  'mcp.config.yaml',
  'mcp.config.yml',
  'mcp.config.ts',
] as const

/** Fields of a project file that are not part of the build request. */
const OWN_FIELDS = ['$schema', 'deploy', 'test', 'project'] as const

/**
 * Project file of a folder, or `path` itself if it is a file. Undefined when there is none. Throws INVALID_REQUEST for several.
 */
export function findProjectFile(path = '.'): string | undefined {
  const absolute = resolve(path)
  if (existsSync(absolute) && statSync(absolute).isFile()) return absolute
  const found = PROJECT_FILE_NAMES.map(name => join(absolute, name)).filter(file => existsSync(file))
  if (found.length > 1)
    throw new HostingError(
      'INVALID_REQUEST',
      `${absolute} contains ${found.length} project files: ${found.map(file => basename(file)).join(', ')}. Keep only one, or give the path to one of them.`,
    )
  return found[0]
}

/** Folder of the project at `path` (a folder or the file). */
export function folderOfProject(path: string): string {
  const absolute = resolve(path)
  return existsSync(absolute) && statSync(absolute).isFile() ? dirname(absolute) : absolute
}

/**
 * Reads the project at `path` (a folder or the file).
 * Throws INVALID_REQUEST when there is none, and INVALID_MCP with every problem in `details`.
 */
export async function loadProject(path = '.'): Promise<Project> {
  const file = findProjectFile(path)
  const source = file ? await readProjectSource(file) : await inferProject(resolve(path))
  if (!source) throw projectNotFound(path)
  return parseProject(source)
}

export async function hasProject(directory: string): Promise<boolean> {
  return findProjectFile(directory) !== undefined || (await inferProject(resolve(directory))) !== undefined
}

/**
 * Name of the project in a folder, even if the rest of the project is invalid. Undefined without a project. Throws INVALID_MCP.
 */
export async function nameOfProject(directory: string): Promise<string | undefined> {
  const file = findProjectFile(directory)
  const source = file ? await readProjectSource(file) : await inferProject(resolve(directory))
  const { name } = (source?.value ?? {}) as { name?: unknown }
  return typeof name === 'string' ? name : undefined
}

/** Reads a project for watching. Accepts an invalid one, which the user can correct, but not a missing one. */
export async function requireProject(path: string): Promise<void> {
  try {
    await loadProject(path)
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'INVALID_MCP') throw error
  }
}

/** A command with the relative path of a project: `mcp build dice`. */
export function commandIn(directory: string, command: string): string {
  const path = relative('.', directory)
  return path ? `${command} ${quoteShellWord(path)}` : command
}

/** Validates and splits the content of a project file. Throws INVALID_MCP. */
export async function parseProject(source: ProjectSource): Promise<Project> {
  const { request, rest, problems } = splitFields(source)
  const { validateProject } = await import('./validate-project.ts')
  const directory = source.directory ?? dirname(source.file)
  const sourceDirectory = needsSource(request, directory) ? directory : undefined
  problems.push(...inlineResourceFiles(request, directory))
  const checked = validateProject(sourceDirectory ? { ...request, source: TO_BE_UPLOADED } : request, rest)
  problems.push(...checked.problems)
  if (problems.length > 0 || !checked.request || !checked.settings) throw invalidProject(source, problems)
  const { deploy = {}, test, project } = checked.settings
  const { file } = source
  const linked = project ?? findLink(directory)?.projectId
  return {
    file,
    directory,
    request: withoutUpload(checked.request),
    deploy: withDefaults(deploy),
    test,
    locate: source.locate,
    project: linked,
    sourceDirectory,
  }
}

type ParsedDeploy = Project['deploy'] & Pick<DeployConfig, 'network' | 'origins'>

/** `deploy.network` and `deploy.origins` apply to every environment that does not set them. */
function withDefaults({ network, origins, ...deploy }: ParsedDeploy): Project['deploy'] {
  const defaults = { ...(network !== undefined && { network }), ...(origins !== undefined && { origins }) }
  if (Object.keys(defaults).length === 0) return deploy
  const environments = ENVIRONMENTS.map(name => [name, { ...defaults, ...deploy[name] }])
  return { ...deploy, ...Object.fromEntries(environments) }
}

/** Placeholder for the id of the upload. Without it, a request with handler modules would be invalid. */
const TO_BE_UPLOADED = 'src_of_this_folder'

function withoutUpload({ source, ...request }: BuildRequest): BuildRequest {
  return source === undefined || source === TO_BE_UPLOADED ? request : { ...request, source }
}

function splitFields(source: ProjectSource) {
  if (typeof source.value !== 'object' || source.value === null || Array.isArray(source.value))
    throw new HostingError(
      'INVALID_MCP',
      `${basename(source.file)} must be an object with "name" and "template".`,
    )
  const request: Record<string, unknown> = { ...source.value }
  const rest: Record<string, unknown> = {}
  for (const field of OWN_FIELDS) {
    if (field in request) rest[field] = request[field]
    delete request[field]
  }
  return { request, rest, problems: misspelledOwnFields(request) }
}

/** Finds misspelled fields, such as `deply` for `deploy`, that build request validation does not catch. */
function misspelledOwnFields(request: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  for (const field of Object.keys(request)) {
    const near = nearestName(field, [...BUILD_FIELDS, ...OWN_FIELDS])
    if (!near || near === field || !(OWN_FIELDS as readonly string[]).includes(near)) continue
    problems.push({ path: field, message: `is not a known field. Did you mean "${near}"?` })
    delete request[field]
  }
  return problems
}

const BUILD_FIELDS = [
  'name',
  'template',
  'tools',
  'resources',
  'prompts',
  'title',
  'version',
  'instructions',
  'data',
  'env',
  'page_size',
  'project_id',
  'source',
  'program',
  'preview',
]

/** INVALID_MCP with every problem and its position in the file. */
export function invalidProject(
  source: Pick<ProjectSource, 'file' | 'directory' | 'locate'>,
  problems: readonly Problem[],
): HostingError {
  const name = basename(source.file)
  const lines = problems.map(({ path, message }) => {
    const position = source.locate(path)
    return `${position ? `${name}:${position} ` : ''}${path ? `${path}: ` : ''}${message}`
  })
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return new HostingError('INVALID_MCP', `${name} has ${count}.`, {
    details: lines.join('\n'),
    next: [
      {
        description: 'Correct the file and check it again',
        command: `${commandIn(source.directory ?? dirname(source.file), 'mcp build')} --check`,
      },
    ],
  })
}

function projectNotFound(path: string): HostingError {
  if (isUrl(path)) return urlGiven(path)
  const absolute = resolve(path)
  const message = existsSync(absolute)
    ? `No project file in ${absolute}: expected ${PROJECT_FILE_NAMES.join(', ')}, or code in tools/, resources/ or prompts/.`
    : `${absolute} does not exist.`
  return new HostingError('INVALID_REQUEST', message, {
    next: [
      {
        description: 'Create a project',
        command: path === '.' ? 'mcp init' : `mcp init ${quoteShellWord(path)}`,
      },
    ],
  })
}
