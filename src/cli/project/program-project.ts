import { existsSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import type { ImageDefinition, ProgramDefinition } from '../../shared/definitions/definitions.ts'
import { HostingError } from '../../shared/errors.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import { splitShellWords } from '../../shared/shell-words.ts'
import type { OptionValues } from '../command-line/declaration.ts'
import { type ContainerCommand, parseContainerCommand } from './container-command.ts'
import type { Buildable, Project } from './project.ts'

/** Options for hosting an existing server without a project. */
export const PROGRAM_OPTIONS = {
  command: {
    type: 'string',
    value: 'command',
    doc: 'host an existing server: a command that serves MCP over stdio, such as "npx -y some-server" or "docker run -i --rm mcp/time"',
  },
  http: { type: 'boolean', doc: 'the command serves MCP over HTTP on $PORT instead' },
  path: {
    type: 'string',
    value: 'path',
    doc: 'path at which the command serves MCP over HTTP (default: /mcp)',
  },
  cwd: { type: 'string', value: 'dir', doc: 'working folder of the command' },
  isolation: {
    type: 'string',
    value: 'mode',
    choices: ['session', 'shared'],
    doc: 'one process per session, or one for all (default: as the server requires)',
  },
  name: { type: 'string', value: 'name', doc: 'name of the server (default: derived from the command)' },
} as const

export type ProgramInput = OptionValues<typeof PROGRAM_OPTIONS> & {
  /** Existing image. Empty or undefined when there is none. */
  image?: string | undefined
}

/** A project for `--command` or `--image`. Undefined without them. `env`: environment of this command. Throws INVALID_REQUEST. */
export function programProject(input: ProgramInput, env: NodeJS.ProcessEnv): Project | undefined {
  const { command, image } = input
  if (image) return imageProject(image, input)
  if (command === undefined) return refuseLoneOptions(input)
  const words = splitShellWords(command)
  const cwd = input.cwd === undefined ? findFolder(words) : resolve(input.cwd)
  return commandProject(words, { ...input, command, cwd }, env)
}

/** A project for the words of a command. `input.cwd`: the command's working folder, by default a separate one. */
export function commandProject(
  words: readonly string[],
  input: ProgramInput & { command: string },
  env: NodeJS.ProcessEnv,
): Project {
  const { command, http, name, cwd } = input
  const container = parseContainerCommand(words, env)
  if (container) return containerProject(command, container, input)
  const [file, ...args] = words as [string, ...string[]]
  const program: ProgramDefinition = {
    type: http ? 'http' : 'stdio',
    command: file,
    args,
    path: input.path ?? '/mcp',
    ...(cwd !== undefined && { cwd }),
    ...(input.isolation !== undefined && { isolation: input.isolation }),
  }
  return projectOf(command, { name: name ?? nameOf([file, ...args]), template: 'custom', program })
}

/** A project for an existing image. Throws INVALID_REQUEST when no name can be derived, and for options that do not apply. */
function imageProject(image: string, input: ProgramInput): Project {
  const { command, path, cwd, http, isolation, name } = input
  const other = Object.entries({ command, cwd, http: http || undefined }).find(
    ([, value]) => value !== undefined,
  )
  if (other) throw new HostingError('INVALID_REQUEST', `--image and --${other[0]} cannot be combined.`)
  const program: ImageDefinition = {
    type: 'image',
    image,
    path: path ?? '/mcp',
    ...(isolation !== undefined && { isolation: isolation as 'session' | 'shared' }),
  }
  return projectOf(image, { name: name ?? nameOfImage(image), template: 'custom', program })
}

/** A project for `docker run …`: the image, with the settings of the command. */
function containerProject(
  command: string,
  { program, env_vars, limits }: ContainerCommand,
  input: ProgramInput,
): Project {
  const { image, ...settings } = program
  const { request, ...project } = imageProject(image, { ...input, command: undefined, cwd: undefined })
  const values = Object.keys(env_vars).length > 0 ? { env_vars } : {}
  const config = { ...values, ...(Object.keys(limits).length > 0 && { limits }) }
  return {
    ...project,
    file: command,
    request: { ...request, program: { ...(request.program as ImageDefinition), ...settings }, ...values },
    deploy: Object.fromEntries(ENVIRONMENTS.map(environment => [environment, config])),
  }
}

/** A project that is not read from a file. */
export function projectOf(file: string, request: Project['request']): Project {
  return {
    file,
    directory: resolve('.'),
    test: undefined,
    project: undefined,
    sourceDirectory: undefined,
    request,
    deploy: {},
  }
}

/** `weather` for `ghcr.io/team/weather:1.2@sha256:…`. */
function nameOfImage(image: string): string {
  const name = basename(image.replace(/@sha256:[0-9a-f]+$/, '').replace(/:[^/:]*$/, ''))
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `The image ${image} does not contain a valid server name. Set one with --name.`,
  )
}

/** A program may need its environment variables during the build too. */
export function withEnvVars<T extends Buildable>(
  project: T,
  env_vars: Record<string, string>,
  environment: Environment = 'development',
): T {
  if (!project.request.program) return project
  const request = {
    ...project.request,
    ...(Object.keys(env_vars).length > 0 && { env_vars: { ...project.request.env_vars, ...env_vars } }),
    // The default environment is omitted for APIs without stored variables.
    ...(environment !== 'development' && { environment }),
  }
  return { ...project, request }
}

function refuseLoneOptions({ http, path, cwd, isolation }: ProgramInput): undefined {
  const lone = Object.entries({ http: http || undefined, path, cwd, isolation }).find(
    ([, value]) => value !== undefined,
  )
  if (!lone) return undefined
  throw new HostingError('INVALID_REQUEST', `--${lone[0]} requires --command or --image.`)
}

/**
 * Working folder of a command: the current folder if the command names a file in it (`python server.py`). Otherwise undefined,
 * for a separate folder.
 */
function findFolder(words: string[]): string | undefined {
  return words.some(word => !word.startsWith('-') && existsSync(word)) ? resolve('.') : undefined
}

const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pipx', 'pnpm', 'yarn', 'bun', 'deno', 'uv', 'npm'])
const INTERPRETER = /^(node|python[\d.]*|tsx|ts-node|sh|bash|ruby|php|java|dotnet|go|perl)$/
const SUBCOMMANDS = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start'])

/**
 * Relative path of the command that does not exist: `./server`, or the script in `python server.py`. `directory`: folder in which
 * the command runs without `cwd`, undefined for a new one.
 */
export function missingFile(
  { command, args, cwd }: ProgramDefinition,
  directory: string | undefined,
): string | undefined {
  const folder = directory === undefined ? cwd : resolve(directory, cwd ?? '.')
  const isMissing = (path: string) =>
    !isAbsolute(path) && (folder === undefined || !existsSync(resolve(folder, path)))
  if (command.includes('/') && isMissing(command)) return command
  if (!INTERPRETER.test(basename(command))) return undefined
  // The word after the flag is code, not a script.
  if (args.some(word => /^(-\w*[ce]|--eval)$/.test(word))) return undefined
  const script = args.find(word => !word.startsWith('-'))
  return script && SCRIPT.test(script) && isMissing(script) ? script : undefined
}

/** True when PATH contains the command, and always for a path. */
export function isInPath(command: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return command.includes('/') || PATH.split(delimiter).some(folder => existsSync(join(folder, command)))
}

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|php|sh|jar|pl)$/

/** `server-everything` for `npx -y @modelcontextprotocol/server-everything@1.2 --verbose`. */
function nameOf(words: string[]): string {
  const programs = words.filter(word => !word.startsWith('-'))
  const [first = '', ...rest] = programs
  const runner = basename(first)
  const isIndirect = RUNNERS.has(runner) || INTERPRETER.test(runner)
  const target = isIndirect ? (rest.find(word => !SUBCOMMANDS.has(word)) ?? runner) : first
  const name = nameOfTarget(target)
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `--command ${words.join(' ')} does not contain a valid server name. Set one with --name.`,
  )
}

function nameOfTarget(target: string): string {
  const withoutVersion = target.replace(/(?<=.)@[^@/]*$/, '')
  const last = basename(withoutVersion).replace(/\.(m|c)?[jt]s$|\.(py|rb|php|sh|jar|pl)$/, '')
  // Names such as "server" and "index" are too common, so the scope is added or the folder is used.
  const scope = /^@([^/]+)\//.exec(withoutVersion)?.[1]
  if (scope && /^(mcp|server|mcp-server|cli)$/.test(last)) return `${scope}-${last}`
  const isUnspecific = /^(index|main|server|app|dist|build)$/.test(last)
  const parent = isUnspecific ? basename(resolve(withoutVersion, '..')) : last
  const name = /^(dist|build|src|lib|bin)$/.test(parent) ? basename(resolve(withoutVersion, '../..')) : parent
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63)
}
