import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { BuildRequest } from '../shared/definitions.ts'
import type { DeployConfig } from '../shared/deploy-config.ts'
import { HostingError } from '../shared/errors.ts'
import { nearestName } from '../shared/names.ts'
import { inlineResourceFiles } from '../shared/project-files.ts'
import { ENVIRONMENTS, type Environment } from '../shared/states.ts'
import { inferProject, needsSource } from './code-project.ts'
import { findLink } from './project-link.ts'
import { type ProjectSource, readProjectSource } from './project-source.ts'
import { shellWord } from './shell-word.ts'

/** A project file, read, checked and split into what each command needs. */
export interface Project {
  /** Absolute path of the project file; of the folder where the project has none, as one of code alone may. */
  file: string
  directory: string
  /** Body of `POST /v1/build`: valid, contents of `resource.file` included. */
  request: BuildRequest
  /** Defaults of `mcp deploy`, per environment. */
  deploy: Partial<Record<Environment, DeployConfig>> & { requireTest?: number | undefined }
  /** A test suite, or the path of one relative to `directory`. */
  test: string | Record<string, unknown> | undefined
  /** Id of the linked project. */
  project: string | undefined
  /** The folder that the server's code is in; undefined when it needs none. */
  sourceDirectory: string | undefined
}

/** What is wrong at one place of a project file; `path` reads like `tools[2].inputSchema`. */
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

/** The project file of a folder, or the file itself when `path` is one. Undefined when there is none. */
export function findProjectFile(path = '.'): string | undefined {
  const absolute = resolve(path)
  if (existsSync(absolute) && statSync(absolute).isFile()) return absolute
  const found = PROJECT_FILE_NAMES.map(name => join(absolute, name)).filter(file => existsSync(file))
  if (found.length > 1)
    throw new HostingError(
      'INVALID_REQUEST',
      `${absolute} holds ${found.length} project files: ${found.map(file => basename(file)).join(', ')}. Keep one, or name the one to use.`,
    )
  return found[0]
}

/** The folder of the project at `path` (a folder or the file). */
export function folderOfProject(path: string): string {
  const absolute = resolve(path)
  return existsSync(absolute) && statSync(absolute).isFile() ? dirname(absolute) : absolute
}

/**
 * Reads the project at `path` (a folder or the file).
 * Throws INVALID_REQUEST when there is none and INVALID_MCP, with every problem in `details`, when it is not valid.
 */
export async function loadProject(path = '.'): Promise<Project> {
  const file = findProjectFile(path)
  const source = file ? await readProjectSource(file) : await inferProject(resolve(path))
  if (!source) throw projectNotFound(path)
  return parseProject(source)
}

/** For what watches a project: what is wrong in one is shown and waited for, but without any there is nothing to wait for. */
export async function requireProject(path: string): Promise<void> {
  try {
    await loadProject(path)
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'INVALID_MCP') throw error
  }
}

/** A command on a project as it is typed where we are: `mcp build dice`. */
export function commandIn(directory: string, command: string): string {
  const path = relative('.', directory)
  return path ? `${command} ${shellWord(path)}` : command
}

/** Checks and splits a project file's content. Throws INVALID_MCP. */
export async function parseProject(source: ProjectSource): Promise<Project> {
  const { request, rest, problems } = splitFields(source)
  const [{ validateDefinitions }, { projectFileSchema }] = await Promise.all([
    import('../shared/validate-definitions.ts'),
    import('../shared/project-file.ts'),
  ])
  const directory = source.directory ?? dirname(source.file)
  const sourceDirectory = needsSource(request, directory) ? directory : undefined
  problems.push(...inlineResourceFiles(request, directory))
  const built = validateDefinitions(sourceDirectory ? { ...request, source: TO_BE_UPLOADED } : request)
  if ('problems' in built) problems.push(...built.problems)
  const own = projectFileSchema
    .pick({ $schema: true, deploy: true, test: true, project: true })
    .safeParse(rest)
  if (!own.success)
    problems.push(...own.error.issues.map(issue => ({ path: toPath(issue.path), message: issue.message })))
  if (problems.length > 0 || 'problems' in built || !own.success) throw invalidProject(source, problems)
  const { deploy = {}, test, project } = own.data
  const { file } = source
  const linked = project ?? findLink(directory)?.projectId
  return {
    file,
    directory,
    request: withoutUpload(built.request),
    deploy: withNetwork(deploy),
    test,
    project: linked,
    sourceDirectory,
  }
}

type ParsedDeploy = Project['deploy'] & { network?: DeployConfig['network'] }

/** `deploy.network` holds for every environment that has no list of its own. */
function withNetwork({ network, ...deploy }: ParsedDeploy): Project['deploy'] {
  if (network === undefined) return deploy
  const environments = ENVIRONMENTS.map(name => [name, { network, ...deploy[name] }])
  return { ...deploy, ...Object.fromEntries(environments) }
}

/** Stands for the id that the upload will give, because handler modules are not valid without one. */
const TO_BE_UPLOADED = 'src_of_this_folder'

function withoutUpload({ source, ...request }: BuildRequest): BuildRequest {
  return source === undefined || source === TO_BE_UPLOADED ? request : { ...request, source }
}

function splitFields(source: ProjectSource) {
  if (typeof source.value !== 'object' || source.value === null || Array.isArray(source.value))
    throw new HostingError(
      'INVALID_MCP',
      `${basename(source.file)} must hold one object with "name" and "template".`,
    )
  const request: Record<string, unknown> = { ...source.value }
  const rest: Record<string, unknown> = {}
  for (const field of OWN_FIELDS) {
    if (field in request) rest[field] = request[field]
    delete request[field]
  }
  return { request, rest, problems: misspelledOwnFields(request) }
}

/** `deply` is a slip of `deploy`, which the build request's own validation does not know. */
function misspelledOwnFields(request: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  for (const field of Object.keys(request)) {
    const near = nearestName(field, [...BUILD_FIELDS, ...OWN_FIELDS])
    if (!near || near === field || !(OWN_FIELDS as readonly string[]).includes(near)) continue
    problems.push({ path: field, message: `is not a known field; did you mean "${near}"?` })
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
]

/** `['tools', 2, 'inputSchema']` → `tools[2].inputSchema` */
function toPath(segments: readonly PropertyKey[]): string {
  return segments.reduce<string>(
    (path, segment) =>
      typeof segment === 'number'
        ? `${path}[${segment}]`
        : path
          ? `${path}.${String(segment)}`
          : String(segment),
    '',
  )
}

function invalidProject(source: ProjectSource, problems: Problem[]): HostingError {
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
        description: 'Correct the file, then check it again',
        command: `${commandIn(source.directory ?? dirname(source.file), 'mcp build')} --check`,
      },
    ],
  })
}

function projectNotFound(path: string): HostingError {
  const absolute = resolve(path)
  const message = existsSync(absolute)
    ? `There is no project file in ${absolute}: expected ${PROJECT_FILE_NAMES.join(', ')}, or code in tools/, resources/ or prompts/.`
    : `${absolute} does not exist.`
  return new HostingError('INVALID_REQUEST', message, {
    next: [
      { description: 'Make a project', command: path === '.' ? 'mcp init' : `mcp init ${shellWord(path)}` },
    ],
  })
}
